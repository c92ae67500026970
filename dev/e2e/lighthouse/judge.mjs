// Judges pages by Lighthouse, in one process and one browser: node judge.mjs CHROMIUM ADDRESS...
// It prints a line of JSON for each address: its report.
import * as chrome from "chrome-launcher";
import lighthouse from "lighthouse";

const [chromePath, ...addresses] = process.argv.slice(2);
const browser = await chrome.launch({
	chromePath, chromeFlags: ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-proxy-server"],
});
try {
	for (const address of addresses) {
		const result = await lighthouse(address, {
			port: browser.port, logLevel: "error", onlyCategories: ["seo", "accessibility", "best-practices"],
			throttlingMethod: "provided", disableFullPageScreenshot: true, // which only performance and its pictures need
		});
		console.log(JSON.stringify(result.lhr));
	}
} finally {
	browser.kill();
}
