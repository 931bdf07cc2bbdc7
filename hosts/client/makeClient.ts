import { objectOf, type Platform } from "./Platform.ts"
import type { CallOptions, Client, ClientOptions, OnceOptions, Shares } from "./Client.ts"
import { connect, type ApiRequest } from "./connection.ts"
import type { Again, Timing } from "./retrying.ts"
import { upload } from "./upload.ts"

const builds = "/api/v1/builds"
const previews = "/api/v1/previews"
const testRuns = "/api/v1/test-runs"
const tests = "/api/v1/tests"
const sources = "/api/v1/sources"

/** An argument as a segment of a path. A URL would take dots for a way up. */
const segment = (id: string, name = "id"): string => {
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) {
    throw new TypeError(`${name} must be a text that isn't empty; it is ${JSON.stringify(id)}`)
  }
  return encodeURIComponent(id)
}

/** Pages without HTTPS have no `randomUUID`. */
const newKey = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("-")

/** A client on a platform. */
export const makeClient = (options: ClientOptions, platform: Platform, timing: Timing): Client => {
  const connection = connect(options, platform, timing)

  /** The JSON of an answer. It is what the interface says: the service is held to that, not checked here again. */
  const ask = async <A>(
    method: ApiRequest["method"],
    path: string,
    { signal }: CallOptions = {},
    rest: Partial<ApiRequest> = {}
  ): Promise<A> => {
    const answer = await connection.ask({ again: "whatever passes", time: "request", ...rest, method, path, signal })
    return objectOf(`${method} ${path}`, answer) as A
  }
  const once = <A>(path: string, body: object, options: OnceOptions = {}) =>
    ask<A>("POST", path, options, { body, idempotencyKey: options.idempotencyKey ?? newKey() })

  const remove = async (path: string, { signal }: CallOptions = {}): Promise<void> => {
    await connection.ask({ method: "DELETE", path, again: "whatever passes", time: "request", signal })
  }

  const sharesOf = (path: string): Shares => {
    const shares = (id: string) => `${path}/${segment(id)}/shares`
    const again: Again = "when refused"
    return {
      share: async (id, body = {}, options) => ask("POST", shares(id), options, { body, again }),
      listShares: async (id, query = {}, options) => ask("GET", shares(id), options, { query }),
      revokeShare: async (id, link, options) => remove(`${shares(id)}/${segment(link, "link")}`, options)
    }
  }

  const client: Client = {
    builds: {
      upload: ({ bundle, files, ...details }, options = {}) =>
        upload(
          files === undefined ? { bundle } : { bundle, files },
          {
            reserve: (declared, signal) => client.builds.reserve({ ...details, ...declared }, { signal }),
            finalize: (token, signal) => client.builds.finalize(token, { signal })
          },
          options,
          platform,
          connection
        ),
      reserve: (build, options) => once(builds, build, options),
      finalize: (token, options) =>
        ask("POST", builds, options, { body: { operation: "finalize", token }, time: "finalize" }),
      latest: (query, options) => ask("GET", builds, options, { query }),
      read: async (id, options) => ask("GET", `${builds}/${segment(id)}`, options),
      delete: async (id, options) => remove(`${builds}/${segment(id)}`, options),
      ...sharesOf(builds)
    },
    previews: {
      upload: ({ bundle, files, recordings, ...details }, options = {}) =>
        upload(
          { bundle, ...(files === undefined ? {} : { files }), ...(recordings === undefined ? {} : { recordings }) },
          {
            reserve: (declared, signal) => client.previews.reserve({ ...details, ...declared }, { signal }),
            finalize: (token, signal) => client.previews.finalize(token, { signal })
          },
          options,
          platform,
          connection
        ),
      reserve: (preview, options) => once(previews, preview, options),
      finalize: (token, options) => ask("POST", `${previews}/finalize`, options, { body: { token }, time: "finalize" }),
      read: async (shareId, options) => ask("GET", `${previews}/${segment(shareId, "shareId")}`, options),
      list: (query, options) => ask("GET", previews, options, { query }),
      delete: async (shareId, options) => remove(`${previews}/${segment(shareId, "shareId")}`, options),
      ...sharesOf(previews)
    },
    testRuns: {
      register: (run, options) => once(testRuns, run, options),
      list: (query, options) => ask("GET", testRuns, options, { query }),
      read: async (id, options) => ask("GET", `${testRuns}/${segment(id)}`, options),
      delete: async (id, options) => remove(`${testRuns}/${segment(id)}`, options),
      ...sharesOf(testRuns)
    },
    tests: {
      list: (query, options) => ask("GET", tests, options, { query }),
      read: async (id, query = {}, options) => ask("GET", `${tests}/${segment(id)}`, options, { query })
    },
    sources: {
      read: async (source, query, options) => ask("GET", `${sources}/${segment(source, "source")}`, options, { query }),
      announceImport: async (source, body, options) =>
        ask("POST", `${sources}/${segment(source, "source")}/imports`, options, { body })
    },
    usage: (options) => ask("GET", "/api/v1/usage", options),
    put: async (slot, body, { signal } = {}) => {
      const source = await platform.open(body, signal)
      await connection.put({ name: "the body", slot, source, onBytes: () => {}, signal })
    }
  }
  return client
}
