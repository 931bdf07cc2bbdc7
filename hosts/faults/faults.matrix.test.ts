/** Each planted bug makes a fault run fail, in the situation in which it shows; a host without one keeps every promise. */
import { assert, describe, it, onTestFinished } from "vitest"
import { databaseUrl } from "../cli/testing/deployment.ts"
import { temporaryFolder } from "../cli/testing/slipway.ts"
import { newContents, newRecord } from "./choices.ts"
import { onPostgres, onSqlite, sharedFiles, type Wanted } from "./deployment.ts"
import { planted, isPlanted, type Planted } from "./planted.ts"
import { judgeAll, openScene, showing, situations, spaceComesBack } from "./situations.ts"
import { putAll, reserve } from "./resources.ts"

const engines = {
  SQLite: (wanted: Wanted) => onSqlite(temporaryFolder(), wanted),
  PostgreSQL: async (wanted: Wanted) => {
    const url = await databaseUrl()
    return onPostgres({ url, through: url }, sharedFiles(temporaryFolder()), wanted)
  }
}

const open = async (on: keyof typeof engines, planted: Planted | undefined) => {
  const record = newRecord(() => undefined)
  const deployment = await engines[on]({ folder: temporaryFolder(), planted, record })
  onTestFinished(deployment.close)
  return { ...(await openScene(deployment, { record }, "the same in every run")), record }
}

/** Only two hosts that share a clock sweep by a wrong one. */
const shownOn = (name: Planted) => (name === "sweep-by-a-wrong-clock" ? "PostgreSQL" : "SQLite")

describe("a fault run", () => {
  it.each(Object.keys(planted).filter(isPlanted))("finds the planted bug %s", async (name) => {
    const { record, ...scene } = await open(shownOn(name), name)
    await showing[name](scene)
    assert.isNotEmpty(record.promisesBroken)
  })

  it.each(["SQLite", "PostgreSQL"] as const)("finds no promise broken by a host on %s", async (on) => {
    const { record, ...scene } = await open(on, undefined)
    const { accounts, deployment, world } = scene
    for (const situation of Object.values(situations)) await situation(scene)
    if (on === "SQLite") {
      const abandoned = await reserve(world, deployment.hosts[0], accounts[0], "build", newContents("acme", 1))
      if (abandoned !== undefined) await putAll(world, abandoned)
      deployment.hosts[0].moveClock(120_000)
    }
    await judgeAll(scene)
    await spaceComesBack(scene)
    assert.deepStrictEqual(record.promisesBroken, [])
    assert.isAbove(record.counts.get("contents read back by digest") ?? 0, 0)
  })
})
