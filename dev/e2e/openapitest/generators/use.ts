// Calls the generated clients, so that the compiler sees what types their answers have.
import createClient from "openapi-fetch";
import * as hey from "./out/hey";
import type { paths } from "./out/openapi-typescript";
import * as orval from "./out/orval";

export async function use(): Promise<void> {
  const typed = createClient<paths>({ baseUrl: "https://jobs.example" });
  const job = { path: { jobDbId: 2797227 } };
  const first = await typed.GET("/api/rest/v3/frontend/jobs/{jobDbId}/applied", { params: job });
  const found = await typed.GET("/api/rest/v2/frontend/jobboards/{channelID}/jobs", {
    params: { path: { channelID: "27828_extern" }, query: { search: "nurse", geoLocation: "52.5::13.4::50" } },
  });
  const total: number | undefined = found.data?.totalNumberOfJobs;

  const second = await hey.hasApplied(job);
  const third = await orval.hasApplied(2797227);
  const applied: (boolean | undefined)[] = [first.data, second.data, third.status === 200 ? third.data : undefined];
  console.log(total, applied);

  // @ts-expect-error: a job is a number
  await hey.hasApplied({ path: { jobDbId: {} } });
  // @ts-expect-error: the search has no page
  await typed.GET("/api/rest/v2/frontend/jobboards/{channelID}/jobs", { params: { path: { channelID: "1" }, query: { page: 2 } } });
}
