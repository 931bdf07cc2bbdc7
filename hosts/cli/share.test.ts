/**
 * Share links on the command line, for each way to reach the stores: creating, listing, revoking, and what they open.
 */
import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { createClient } from "../client/index.ts"
import { anyStores, newKey, runJson, startHere, ways } from "./testing/deployment.ts"
import { repository, upload, uploadPreview } from "./testing/flow.ts"
import { slipway } from "./testing/slipway.ts"

const Printed = Schema.Struct({
  id: Schema.String,
  account: Schema.Literal("acme"),
  preview: Schema.optionalKey(Schema.String),
  run: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
const Made = Schema.Struct({ ...Printed.fields, url: Schema.String })

const exactly = { onExcessProperty: "error" } as const
const asMade = Schema.decodeUnknownSync(Made, exactly)
const asPrinted = Schema.decodeUnknownSync(Printed, exactly)
const asList = Schema.decodeUnknownSync(Schema.Array(Printed), exactly)

/** A ready preview, a run of it, and a preview that is only reserved. */
const uploaded = async (url: string, key: string) => {
  const client = createClient({ url, key })
  const app = upload("app", 1)
  const { shareId: preview } = await uploadPreview(client, app)
  const run = await client.testRuns.register({
    ...repository,
    kind: "detox",
    name: "Checkout",
    previewShareId: preview
  })
  const { shareId: reserved } = await client.previews.reserve(app.declaration)
  return { preview, run: run.id, reserved }
}

for (const { env: settings, isHostRunning, through, viewer } of ways()) {
  describe(`share links by the command line, through ${through}`, () => {
    it("are shown once, listed newest first, and end when they are revoked", async () => {
      const env = await settings()
      const host = await startHere(env)
      const { preview, run } = await uploaded(host.url, (await newKey(env)).key)
      if (!isHostRunning) await host.stop()
      const paths: Array<readonly [open: string, revoked: string]> = []

      for (const [flag, id] of [
        ["preview", preview],
        ["run", run]
      ] as const) {
        const of = (command: string, ...args: ReadonlyArray<string>) =>
          runJson(env, "share", command, ...args, "--account", "acme", `--${flag}`, id)
        const first = asMade(await of("create"))
        const second = asMade(await of("create", "--expires", "1h"))
        for (const [{ createdAt, expiresAt, url, ...link }, hours] of [
          [first, 7 * 24],
          [second, 1]
        ] as const) {
          assert.strictEqual(link[flag], id)
          assert.strictEqual(expiresAt.epochMilliseconds - createdAt.epochMilliseconds, hours * 3_600_000)
          assert.match(url, /\/shared\/[0-9A-Za-z]{32}$/)
          assert.isTrue(url.startsWith(`${viewer(host.url)}/shared/`), url)
        }
        const revoked = asPrinted(await of("revoke", second.id))
        assert.isDefined(revoked.revokedAt)
        const { url: _, ...kept } = first
        assert.deepStrictEqual(asList(await of("list")), [revoked, kept])
        paths.push([new URL(first.url).pathname, new URL(second.url).pathname])
      }

      const { url } = isHostRunning ? host : await startHere(env)
      for (const [open, revoked] of paths) {
        assert.strictEqual((await fetch(url + open)).status, 200)
        assert.strictEqual((await fetch(url + revoked)).status, 410)
      }
    })
  })
}

describe("the command line", () => {
  it("shares one resource at a time, for a minute to 90 days, and refuses invalid input with exit code 2", async () => {
    const one = ["--account", "acme", "--preview", "x"]
    for (const [args, said] of [
      [["create", "--account", "acme"], "one of --build, --preview and --run"],
      [["create", ...one, "--run", "y"], "one of --build, --preview and --run"],
      [["list", "--account", "acme"], "one of --build, --preview and --run"],
      [["revoke", "z", ...one, "--run", "y"], "one of --build, --preview and --run"],
      [["revoke", ...one], "id"],
      [["create", ...one, "--expires", "59s"], "must be a duration from 1m to 90d"],
      [["create", ...one, "--expires", "91d"], "must be a duration from 1m to 90d"],
      [["create", "--account", "acme", "--preview", "not an id"], "must be an id"]
    ] as const) {
      const { code, stderr } = await slipway(["share", ...args])
      assert.strictEqual(code, 2, args.join(" "))
      assert.include(stderr, said)
    }
  })

  it("shares only what belongs to the account and is ready", async () => {
    const env = anyStores()
    const { url } = await startHere(env)
    const { preview, reserved, run } = await uploaded(url, (await newKey(env)).key)
    for (const [args, said] of [
      [["create", "--preview", reserved], "The preview is not finalized; finalize it, then share it."],
      [["create", "--preview", "nothing"], "acme has no preview nothing."],
      [["list", "--run", preview], `acme has no test run ${preview} in a repository that is linked to it.`],
      [["revoke", "nothing", "--run", run], `acme has no share link nothing to the test run ${run}.`]
    ] as const) {
      const { code, stderr } = await slipway(["share", ...args, "--account", "acme"], { env })
      assert.deepStrictEqual([code, stderr], [1, `slipway: ${said}\n`])
    }
  })

  it("prints a new link's URL on its own line, and lists when each link was created and when it ends", async () => {
    const env = anyStores()
    const { url } = await startHere(env)
    const { preview } = await uploaded(url, (await newKey(env)).key)
    const share = async (...args: ReadonlyArray<string>) => {
      const { code, stdout } = await slipway(["share", ...args, "--account", "acme", "--preview", preview], { env })
      assert.strictEqual(code, 0)
      return stdout.trimEnd().split("\n")
    }
    const [link, , made = ""] = await share("create")
    assert.isTrue(URL.canParse(link ?? ""), link)
    assert.match(made, /^[0-9a-f-]{36} {2}made \S+Z {2}expires \S+Z$/)
    assert.deepStrictEqual(await share("list"), [made])
    assert.match((await share("revoke", made.slice(0, 36))).join(), / {2}revoked \S+Z$/)
  })
})
