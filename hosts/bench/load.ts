/** The load on the host and on the bare handler: the same requests, from the same number of connections. */
import autocannon from "autocannon"
import { createHash, randomBytes } from "node:crypto"
import { owner, repo } from "./repository.ts"

const connections = 16
const bundle = Buffer.alloc(4096, "slipway ")
const contentHash = createHash("sha256").update(bundle).digest("hex")
const contentType = "text/javascript"

/** What a connection has to remember between the steps of an upload. */
interface Steps {
  token?: string
  putUrl?: string
}

const reserveBody = (branch: string) =>
  JSON.stringify({
    owner,
    repo,
    branch,
    platform: "ios",
    commitSha: randomBytes(20).toString("hex"),
    contentHash,
    bundleSizeBytes: bundle.byteLength,
    bundleContentType: contentType
  })

/** An operation: its requests, and whether they must be sent one after the other. */
export interface Operation {
  readonly name: string
  readonly requests: ReadonlyArray<autocannon.Request>
}

const uploads: Operation = {
  name: "reserve + PUT + finalize",
  requests: [
    {
      method: "POST",
      path: "/api/v1/builds",
      setupRequest: (request) => ({ ...request, body: reserveBody("uploads") }),
      onResponse: (_status, body, context: Steps) => {
        const { slots, token } = JSON.parse(body)
        Object.assign(context, { token, putUrl: slots.bundle.putUrl })
      }
    },
    {
      method: "PUT",
      setupRequest: (request, context: Steps) => {
        const { pathname, search } = new URL(context.putUrl ?? "")
        return { ...request, path: pathname + search, headers: { "content-type": contentType }, body: bundle }
      }
    },
    {
      method: "POST",
      path: "/api/v1/builds",
      setupRequest: (request, context: Steps) => ({
        ...request,
        body: JSON.stringify({ operation: "finalize", token: context.token })
      })
    }
  ]
}

const get = (name: string, path: string): Operation => ({ name, requests: [{ method: "GET", path }] })

/** The operations that are measured, on a host that holds a build and a page of runs. */
export const operations = (build: string): ReadonlyArray<Operation> => [
  get("read a build by id", `/api/v1/builds/${build}`),
  get("read the latest of a branch", `/api/v1/builds?owner=${owner}&repo=${repo}&branch=main`),
  get("list 20 test runs", `/api/v1/test-runs?org=${owner}&repo=${repo}`),
  uploads
]

/** How many times a second an operation was done, and the 99th percentile of its requests' times. */
export interface Rate {
  readonly perSecond: number
  readonly p99: number
}

/** Does an operation for so many seconds. Throws at any answer but success, which would falsify the measurement. */
export const load = async (operation: Operation, url: string, key: string, seconds: number): Promise<Rate> => {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    requests: operation.requests.map((request) => ({ ...request }))
  })
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${operation.name} at ${url}: ${result.errors} errors, ${result.non2xx} refusals`)
  }
  return { perSecond: result["2xx"] / operation.requests.length / result.duration, p99: result.latency.p99 }
}
