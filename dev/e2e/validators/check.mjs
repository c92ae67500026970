// Reads one JSON object from standard input and writes what validators say of it:
// {data: [JSON-LD, ...]}, {rss: text}, {atom: text}, {sitemap: text} or {index: text}.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import Validator from "@adobe/structured-data-validator";
import { parseAtomFeed, parseRssFeed } from "feedsmith";
import { ErrorLevel, XMLToSitemapIndexStream, XMLToSitemapItemStream } from "sitemap";
import Sitemapper from "sitemapper";

const input = JSON.parse(await text(process.stdin));
const out = {};

if (input.data) {
  // The rules that a search engine publishes for a JobPosting.
  // The validator does not look into a list of places, so each is asked about.
  out.data = [];
  for (const data of input.data) {
    const places = Array.isArray(data.jobLocation) ? data.jobLocation : [data.jobLocation];
    const found = new Map();
    for (const jobLocation of places) {
      const one = { ...data, jobLocation };
      const issues = await new Validator().validate({ jsonld: { [data["@type"]]: [one] }, microdata: {}, rdfa: {} });
      for (const i of issues) found.set(i.issueMessage, { severity: i.severity, message: i.issueMessage, fields: i.fieldNames ?? [] });
    }
    out.data.push([...found.values()]);
  }
}
if (input.rss) out.rss = parseRssFeed(input.rss);
if (input.atom) out.atom = parseAtomFeed(input.atom);
if (input.sitemap) out.crawled = await crawled(input.sitemap);
if (input.sitemap) out.pages = await all(new XMLToSitemapItemStream({ level: ErrorLevel.THROW }), input.sitemap);
if (input.index) out.parts = await all(new XMLToSitemapIndexStream({ level: ErrorLevel.THROW }), input.index);

// crawled returns the pages that a crawler finds in a sitemap.
async function crawled(xml) {
  const server = createServer((_, response) => response.end(xml)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const found = await new Sitemapper({ url: `http://127.0.0.1:${server.address().port}/sitemap.xml`, timeout: 60_000 }).fetch();
  server.close();
  if (found.errors?.length) throw new Error(JSON.stringify(found.errors));
  return found.sites;
}

async function all(stream, xml) {
  const items = [];
  for await (const item of Readable.from([xml]).compose(stream)) items.push(item);
  return items;
}

process.stdout.write(JSON.stringify(out));
