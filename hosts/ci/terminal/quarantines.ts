/** The commands `quarantine`: the quarantined tests of a host, by its API, beside those of the checkout. */
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { quarantineDays } from "../../../core/rules/quarantine.ts"
import { type Context, ExitCode, unusable } from "../command/Context.ts"
import type { Input, quarantineAddOptions, quarantineListOptions, quarantineRemoveOptions } from "../command/options.ts"
import { allPages } from "../comment/report.ts"
import { committed, type Entry, quarantineFile } from "../history/quarantine.ts"
import { asking, requestJson, required, type Settings, settingsOf } from "../settings/settings.ts"
import { minuteOf, print, readTests } from "./terminal.ts"

/** What identifies a test. */
interface NamedTest {
  readonly kind: string
  readonly name?: string | undefined
  readonly file?: string | undefined
  readonly platform?: string | undefined
  readonly app?: string | undefined
}

/** A quarantine, as the API has it. */
interface Listed extends NamedTest {
  readonly id: string
  readonly prompt?: string
  readonly reason: string
  readonly owner?: string | undefined
  readonly expiresAt: string
  readonly expired: boolean
  readonly passesInARow: number
}

type Named = Settings & { readonly url: string; readonly owner: string; readonly repo: string }

const requests = ({ owner: org, repo, url }: Named, key: string, signal: AbortSignal) => {
  const send = async (method: string, path: string, query: Readonly<Record<string, string>>, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const at = `${url.replace(/\/+$/, "")}/api/v1/quarantines${path}?${new URLSearchParams(query)}`
    return requestJson(
      `${method} /api/v1/quarantines${path}`,
      at,
      { method, headers, ...(body && { body: JSON.stringify(body) }) },
      signal
    )
  }
  const list = () =>
    allPages(async (page) => {
      const answer = await send("GET", "", { org, repo, limit: "100", ...page })
      // As the API documents it.
      const { cursor, quarantines } = answer as {
        readonly cursor?: string
        readonly quarantines: ReadonlyArray<Listed>
      }
      return [quarantines, cursor]
    })
  return {
    list,
    add: async (body: object) => (await send("POST", "", { org, repo }, body)) as Listed,
    remove: (id: string) => send("DELETE", `/${encodeURIComponent(id)}`, {})
  }
}

const printed = (
  context: Context,
  json: boolean | undefined,
  all: ReadonlyArray<Listed>,
  entries: ReadonlyArray<Entry>
): ExitCode =>
  print(
    context,
    json === true ? { quarantines: all, ...(entries.length === 0 ? {} : { file: entries }) } : undefined,
    "quarantine",
    ["TEST", "FILE", "PLATFORM", "APP", "UNTIL", "OWNER", "REASON", "PASSES", "FROM"],
    [
      ...entries.map(({ until, ...one }) => {
        const ends = { expiresAt: new Date(until).toISOString(), expired: until <= Date.now() }
        return { ...one, ...ends, passes: undefined, from: quarantineFile }
      }),
      ...all.map((one) => ({ ...one, passes: `${one.passesInARow} in a row`, from: "host" }))
    ].map(({ app, expired, expiresAt, file, from, name, owner, passes, platform, prompt, reason }) => {
      const until = `${minuteOf(expiresAt)}${expired ? " (ended)" : ""}`
      return [name ?? prompt, file, platform, app, until, owner, reason, passes, from]
    })
  )

/** Lists the quarantines of the host, and of the checkout. */
export const list = async ({ values }: Input<typeof quarantineListOptions>, context: Context): Promise<ExitCode> => {
  const settings = required(await settingsOf(values, context), "url", "owner", "repo")
  const entries = committed(context.cwd, Date.now())
  const all = await asking(settings, (_client, key) => requests(settings, key, context.signal).list())
  return printed(context, values.json, all, entries)
}

/** The only one of this name, and of the other fields that are given. */
const onlyOne = <A extends NamedTest>(
  all: ReadonlyArray<A>,
  [name, more]: ReadonlyArray<string>,
  { app, file, kind, platform }: { readonly [Field in keyof NamedTest]?: string | undefined }
): A => {
  if (name === undefined || more !== undefined) throw unusable("Name one test, as `slipway-ci tests` lists it.")
  const found = all.filter(
    (one) =>
      one.name === name &&
      [app ?? one.app, file ?? one.file, kind ?? one.kind, platform ?? one.platform].join("\n") ===
        [one.app, one.file, one.kind, one.platform].join("\n")
  )
  const [first, second] = found
  if (first === undefined)
    throw unusable(
      `No test ${JSON.stringify(name)} with these flags is listed. \`slipway-ci tests\` and \`quarantine list\` have the names.`
    )
  if (second === undefined) return first
  const which = found.map(
    ({ app, file, kind, platform }) => `  ${[kind, file, platform, app].flatMap((text) => text ?? []).join(", ")}`
  )
  throw unusable(
    `Several tests are called ${JSON.stringify(name)}. Give --kind, --file, --platform or --app:\n${which.join("\n")}`
  )
}

/** Quarantines a test of the repository. */
export const add = async (
  { positionals, values }: Input<typeof quarantineAddOptions>,
  context: Context
): Promise<ExitCode> => {
  const { assignee, days = String(quarantineDays.default), file, json, kind, platform, reason, ...given } = values
  if (!reason?.trim()) throw unusable("quarantine add needs --reason: why the test is quarantined.")
  if (!/^[1-9]\d?$/.test(days) || Number(days) > quarantineDays.maximum)
    throw unusable(`--days must be from 1 to ${quarantineDays.maximum}, and is ${JSON.stringify(days)}.`)
  const settings = required(await settingsOf(given, context), "url", "owner", "repo")
  const { app, owner: org, repo } = settings
  const added = await asking(settings, async (client, key) => {
    const listed = await readTests(client, { org, repo, ...withoutUndefined({ app }) }, context.signal)
    const tests = listed.map(({ app, device: platform, file, kind, name }) => ({ kind, name, file, platform, app }))
    const test = onlyOne(tests, positionals, { app, file, kind, platform })
    const body = { ...withoutUndefined({ ...test, owner: assignee }), reason, days: Number(days) }
    return requests(settings, key, context.signal).add(body)
  })
  return printed(context, json, [added], [])
}

/** Ends the quarantine of a test. */
export const remove = async (
  { positionals, values }: Input<typeof quarantineRemoveOptions>,
  context: Context
): Promise<ExitCode> => {
  const settings = required(await settingsOf(values, context), "url", "owner", "repo")
  await asking(settings, async (_client, key) => {
    const { list, remove } = requests(settings, key, context.signal)
    await remove(onlyOne(await list(), positionals, values).id)
  })
  context.err(`The quarantine of ${positionals[0]} is removed.`)
  return ExitCode.done
}
