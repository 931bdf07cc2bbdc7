import { Effect } from "effect"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { type Client, createClient, type RegisterTestRun } from "../../client/index.ts"
import { type Ran, runCi } from "./runCi.ts"
import { type CommentsEmulator, startComments } from "./commentsEmulator.ts"

export type Fields = Partial<RegisterTestRun>

export interface Tried {
  readonly github: CommentsEmulator
  /** Runs `comment` with these flags, as a workflow of GitHub does. */
  readonly ci: (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>, cwd?: string) => Promise<Ran>
  /** Runs any command, in the same job. */
  readonly program: (
    args: ReadonlyArray<string>,
    env?: Readonly<Record<string, string>>,
    cwd?: string,
    signal?: AbortSignal
  ) => Promise<Ran>
  /** Registers a run of the source `github:100`. */
  readonly register: (name: string, fields?: Fields) => Promise<string>
  readonly client: Client
  readonly url: string
  readonly key: string
  readonly owner: string
  readonly repo: string
}

export const failed: Fields = {
  status: "failed",
  failureMessage: "Not found: `Pay`\n@acme/team look",
  file: "e2e/pay:1.ts"
}
export const flaky: Fields = { attempts: [{ status: "failed" }, { status: "passed" }], device: { name: "Pixel 8" } }

export const tried = Effect.fnUntraced(function* (run: (tried: Tried) => Promise<void>) {
  const { url } = yield* TestHost
  const { key, owner, repo } = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const github = yield* Effect.acquireRelease(Effect.promise(startComments), ({ close }) => Effect.sync(close))
  const client = createClient({ url, key })
  yield* Effect.promise(async () => {
    const bundle = { body: new TextEncoder().encode("run()"), contentType: "text/javascript" }
    const { shareId: previewShareId } = await client.previews.upload({ bundle })
    const register = async (name: string, fields: Fields = {}) => {
      const common = { owner, repo, previewShareId, kind: "maestro", status: "passed", source: "github:100" } as const
      return (await client.testRuns.register({ ...common, name, ...fields })).id
    }
    const env = {
      SLIPWAY_URL: url,
      SLIPWAY_KEY: key,
      SLIPWAY_OWNER: owner,
      SLIPWAY_REPO: repo,
      SLIPWAY_PR: "7",
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: "acme/app",
      GITHUB_RUN_ID: "100",
      GITHUB_TOKEN: "ghs_0123456789012345678901234567",
      GITHUB_API_URL: github.url
    }
    const program: Tried["program"] = (args, more = {}, cwd = "/", signal = undefined) =>
      runCi(args, { cwd, env: { ...env, ...more }, ...(signal === undefined ? {} : { signal }) })
    const ci: Tried["ci"] = (args, more, cwd) => program(["comment", ...args], more, cwd)
    await run({ github, ci, client, program, register, url, key, owner, repo })
  })
})
