// client.mjs SDK http ADDRESS | client.mjs SDK stdio COMMAND ARGS...: uses every tool of a server
// with one version of the protocol's SDK, and prints what it got as JSON.
const [sdk, kind, target, ...args] = process.argv.slice(2);
const second = sdk.startsWith("sdk-2");
const { Client } = await import(second ? sdk : `${sdk}/client/index.js`);
const { StdioClientTransport } = await import(second ? `${sdk}/stdio` : `${sdk}/client/stdio.js`);
const { StreamableHTTPClientTransport } = await import(second ? sdk : `${sdk}/client/streamableHttp.js`);

const client = new Client({ name: sdk, version: "1" });
await client.connect(kind === "http"
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args, env: { HOME: process.env.HOME } }));
const call = async (name, given) => {
  const result = await client.callTool({ name, arguments: given });
  return { failed: result.isError === true, ...JSON.parse(result.content[0].text) };
};
const found = await call("search_jobs", { text: "Pflegefachkraft", limit: 1, advertisement_characters: 200 });
const job = found.postings[0].job;
const out = {
  instructions: client.getInstructions?.(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  found,
  information: await call("job_information", { job }),
  decision: await call("may_i_apply", { job }),
  checked: await call("check_answers", { job, answers: { 8: "yes", 4711: "x" } }),
  failure: await call("search_jobs", { near: "Berlni" }),
  pages: (await client.listResources()).resources.length,
};
await client.close();
console.log(JSON.stringify(out));
