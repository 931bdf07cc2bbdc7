import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { Client, ListTests, TestOfList } from "../../client/index.ts"
import type { Input } from "../command/Command.ts"
import type { Context } from "../command/Context.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { unusable } from "../command/Stopped.ts"
import { plainLine } from "../command/plainText.ts"
import { asking } from "../settings/connect.ts"
import { required, settingsOf } from "../settings/settings.ts"
import type { testsOptions } from "./testsOptions.ts"

const readAll = async (client: Client, query: ListTests, signal: AbortSignal): Promise<ReadonlyArray<TestOfList>> => {
  const all: Array<TestOfList> = []
  for (let cursor: string | undefined; ;) {
    const page = await client.tests.list({ ...query, limit: 100, ...withoutUndefined({ cursor }) }, { signal })
    all.push(...page.tests)
    if (page.cursor === undefined) return all
    cursor = page.cursor
  }
}

const line = ({
  app,
  device,
  failed,
  failingSince,
  flakyRuns,
  lastMessage,
  lastStatus,
  name,
  runs
}: TestOfList): string =>
  [
    `${lastStatus === "passed" ? "✓" : "✗"} ${plainLine(name, 120)}`,
    app === undefined ? "" : plainLine(app, 100),
    device === undefined ? "" : plainLine(device, 40),
    `${failed} of ${runs} failed`,
    flakyRuns === 0 ? "" : `${flakyRuns} flaky`,
    failingSince === undefined ? "" : `since ${failingSince.commitSha?.slice(0, 10) ?? "a run"} of ${failingSince.at}`,
    failingSince === undefined || lastMessage === undefined ? "" : plainLine(lastMessage, 200)
  ]
    .filter((text) => text !== "")
    .join(" · ")

/** Lists the tests of a repository. */
export const tests = async ({ values }: Input<typeof testsOptions>, context: Context): Promise<ExitCode> => {
  const { branch, broken, flaky, json, ...given } = values
  if (broken === true && flaky === true) throw unusable("Give --broken or --flaky, not both.")
  const settings = required(await settingsOf(given, context), "url", "owner", "repo")
  const { app, owner: org, repo } = settings
  const query: ListTests = {
    org,
    repo,
    ...withoutUndefined({ app, branch }),
    ...(broken === true ? { status: "failed" } : {}),
    ...(flaky === true ? { flaky } : {})
  }
  const found = await asking(settings, (client) => readAll(client, query, context.signal))
  if (json === true) context.out(JSON.stringify({ tests: found }))
  else {
    for (const test of found) context.out(line(test))
    context.err(`${found.length} ${found.length === 1 ? "test" : "tests"}.`)
  }
  return ExitCode.done
}
