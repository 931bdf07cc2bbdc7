/**
 * `npm run demo`: a host on embedded engines, and a real React Native app on its way through it.
 *
 * It does what a team's CI would do, over HTTP, and serves on until Ctrl-C. It takes the settings of `slipway serve`.
 */
import { Console, Data, Effect } from "effect"
import { Command } from "effect/cli"
import { serveFlags, serveSettings } from "../cli/commands/serve.ts"
import { shutdownSignal, runCli } from "../cli/parts/run.ts"
import { type Build, createClient, type TestRun } from "../client/index.ts"
import { Listening } from "../node/Listening.ts"
import { layerHost } from "../node/host.ts"
import { account, demoAccount, demoRuns, repository } from "./account.ts"
import { bundleApp, nativeApp } from "./bundle.ts"
import { registerRun, uploadBuild, uploadPreview, uploadPullPreview } from "./ci.ts"
import { owner, repositories, seedFleet } from "./fleet.ts"
import { demoTests, seedHistory } from "./history.ts"

const table = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join("\n")
}

const pages = (row: Build, runs: ReadonlyArray<TestRun>, url: string) =>
  table([
    ["repository page", `${url}/repositories?${new URLSearchParams({ owner: row.owner, repo: row.repo })}`],
    ["build page", row.url],
    ["replay", row.previewUrl ?? "not ready"],
    ...runs.slice(0, 1).map(({ previewUrl }) => ["preview", previewUrl] as const),
    ...runs.map(({ kind, status, traceUrl }) => [`${kind} ${status}`, traceUrl] as const)
  ])

/** What the demo ends with: build and runs as the service tells them, the last run first, and where to look. */
export const summary = (
  row: Build,
  runs: ReadonlyArray<TestRun>,
  { key, url }: { readonly key: string; readonly url: string }
): string => {
  const total = row.bundleSizeBytes + row.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const facts = table([
    ["build", row.id],
    ["status", row.status],
    ["repository", `${row.owner}/${row.repo}`],
    ["branch", `${row.branch} (${row.platform})`],
    ["commit", row.commitSha],
    ["bundle", `${row.entry} ${row.bundleSizeBytes} bytes, sha256 ${row.contentHash.slice(0, 12)}…`],
    ["files", `${row.files.length}, with the bundle ${total} bytes`],
    ["created", row.createdAt],
    ["updated", row.updatedAt],
    ...runs.map(({ durationMs, failureMessage, kind, name, status }) => {
      const why = failureMessage === undefined ? "" : `: ${failureMessage.split("\n")[0]}`
      return [`${kind} run`, `${status}, ${name} (${durationMs} ms)${why}`] as const
    })
  ])
  return `\n${facts}\n\n${pages(row, runs, url)}\n  sign in with  ${key}\n`
}

/** A step of the demo failed. */
class DemoFailed extends Data.TaggedError("DemoFailed")<{ readonly message: string }> {}

const done = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (error) => new DemoFailed({ message: String(error) }) })

const step = (name: string, said: string) => Console.log(`  ${name.padEnd(9)} ${said}`)

const demo = Command.make("demo", serveFlags, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const upAndOn = Effect.gen(function* () {
      const { engines, url } = yield* Listening
      yield* Console.log("\nSlipway demo\n")
      yield* step("host", `${url} on ${engines.metadata} and ${engines.objects}, data in ${settings.data}`)
      const key = yield* demoAccount(settings.data)
      yield* step("account", `${account}, with the repository ${repository.owner}/${repository.repo} linked`)
      const apps = { web: yield* bundleApp, native: yield* nativeApp }
      yield* step(
        "bundle",
        `hosts/demo/app, React Native for the web: ${apps.web.bundle.byteLength} bytes and ${apps.web.files.length} files`
      )
      yield* step(
        "",
        `the same for a phone, made by Metro beforehand: ${apps.native.bundle.byteLength} bytes and ${apps.native.files.length} files`
      )
      const client = createClient({ url, key })
      const build = yield* done(() => uploadBuild(client, apps.web))
      yield* step("finalize", `build ${build.finalized.status}`)
      yield* step("read", `by branch: ${build.byBranch.status}, by id: ${build.byId.status}`)
      const seeded = yield* seedHistory(client, key, apps.web)
      if (seeded > 0) {
        yield* step("history", `${seeded} runs of ${demoTests.length} tests in six weeks`)
        yield* done(() => uploadPullPreview(client, apps.native))
      }
      const { owner: org, repo } = repository
      for (const run of demoRuns) {
        const { source } = run
        const { testRuns: before } = yield* done(() => client.testRuns.list({ org, repo, source, limit: 100 }))
        // An earlier start of the demo registered it.
        if (before.some(({ name }) => name === run.name)) continue
        const { preview, recorded } = yield* done(() => uploadPreview(client, apps[run.app], run))
        yield* step("finalize", `preview ${preview.status}, with ${preview.recordings.length} recordings`)
        const { kind, name, status } = yield* done(() => registerRun(client, run, recorded, preview.shareId))
        yield* step("run", `${kind} ${status}: ${name}`)
      }
      const { testRuns } = yield* done(() => client.testRuns.list({ org, repo, limit: demoRuns.length }))
      yield* Console.log(summary(build.byId, testRuns, { key, url }))
      yield* Console.log("  Serving until Ctrl-C.\n")
      // The pages fill while people look at them.
      yield* seedFleet(client, { key, account, app: apps.web }).pipe(
        Effect.flatMap((runs) =>
          runs === 0 ? Effect.void : Console.log(`  ${runs} runs of ${owner}/${repositories.fleet} registered.`)
        ),
        Effect.catchCause((cause) => Console.error(`  ${owner}/${repositories.fleet} is not complete: ${cause}`)),
        Effect.forkChild
      )
      yield* shutdownSignal
    })
    return yield* Effect.provide(upAndOn, layerHost(settings))
  })
).pipe(Command.withDescription("Run a host and upload a React Native app to it"))

runCli(demo)
