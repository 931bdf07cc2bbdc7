import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { newKey, startHere } from "../../../cli/testing/deployment.ts"
import { temporaryFolder } from "../../../cli/testing/slipway.ts"
import { createClient, type Client } from "../../../client/index.ts"
import { maestroFixtures } from "./reading.ts"

/** The output of a run of Maestro. */
export const out = join(maestroFixtures, "out")
/** The CI run that registers. */
export const source = "github:4711"

/** The second report of a flow that failed first. */
export const lastReport = readFileSync(join(out, "report_first.xml"), "utf8")
  .replaceAll("14:06:", "14:07:")
  .replace('"ERROR"', '"SUCCESS"')
  .replace(/<failure>.*<\/failure>/, "")
  .replace('failures="1"', 'failures="0"')

/** A host, and the program's variables for it. */
export const hosted = async () => {
  const data = { SLIPWAY_DATA: temporaryFolder() }
  const { url } = await startHere(data)
  const { key } = await newKey(data)
  const env = {
    SLIPWAY_URL: url,
    SLIPWAY_KEY: key,
    SLIPWAY_OWNER: "acme",
    SLIPWAY_REPO: "app",
    SLIPWAY_BRANCH: "main",
    SLIPWAY_COMMIT: "a".repeat(40),
    SLIPWAY_PR: "7",
    SLIPWAY_SOURCE: source
  }
  return { env, client: createClient({ url, key }), key, url }
}

/** The registered runs. */
export const listed = async (client: Client) =>
  (await client.testRuns.list({ org: "acme", repo: "app", source, limit: 100 })).testRuns

/** The recordings that the previews of all runs host, each with its bytes as text. */
export const hostedRecordings = async (client: Client, key: string, url: string) => {
  const { cookie } = await page(url, url, key)
  const previews = await Promise.all(
    (await listed(client)).map(({ previewShareId }) => client.previews.read(previewShareId))
  )
  return Promise.all(
    previews
      .flatMap(({ recordings }) => recordings)
      .map(async ({ name, url: at = "" }) => {
        const answer = await fetch(at, { headers: { cookie } })
        assert.strictEqual(answer.status, 200, `${name} at ${at}`)
        return { name, text: await answer.text() }
      })
  )
}

/** What a preview hosts for the owner of a key: the recording of a name. */
export const recording = async (client: Client, shareId: string, name: string) => {
  const { recordings } = await client.previews.read(shareId)
  return recordings.find((one) => one.name === name)
}

/** The text of a run's page. */
export const page = async (url: string, origin: string, key: string) => {
  const signedIn = await fetch(`${origin}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key })
  })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ")
  const opened = await fetch(url, { headers: { cookie } })
  assert.strictEqual(opened.status, 200)
  return { html: await opened.text(), cookie }
}
