/** Reads as fast as a host answers them. */
import autocannon from "autocannon"
import { owner, repo } from "./repository.ts"

const connections = 16

/** A request, named for the table. */
export interface Read {
  readonly name: string
  readonly path: string
}

/** The reads that are measured, on a host that holds a build and a page of runs. */
export const reads = (build: string): ReadonlyArray<Read> => [
  { name: "read a build by id", path: `/api/v1/builds/${build}` },
  { name: "read the latest of a branch", path: `/api/v1/builds?owner=${owner}&repo=${repo}&branch=main` },
  { name: "list 20 test runs", path: `/api/v1/test-runs?org=${owner}&repo=${repo}` }
]

/** How many a second come in so many seconds. Throws at any answer but success, which would falsify the measurement. */
export const load = async ({ name, path }: Read, url: string, key: string, seconds: number): Promise<number> => {
  const headers = { authorization: `Bearer ${key}` }
  const result = await autocannon({ url: url + path, connections, duration: seconds, headers })
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${name} at ${url}: ${result.errors} errors, ${result.non2xx} refusals`)
  }
  return result["2xx"] / result.duration
}
