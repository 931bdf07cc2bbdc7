import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { PostgresServer } from "../../adapters/postgres/testing/startPostgres.ts"
import type { Ceph } from "../../adapters/s3/testing/startCeph.ts"
import { type Choices, choicesOf, newContents } from "./choices.ts"
import { type Deployment, type HostProcess, type Link, reservations, type Stored, swept } from "./deployment.ts"
import type { Planted, Step } from "./planted.ts"
import {
  type Account,
  administer,
  at,
  type Circumstances,
  finalize,
  judge,
  look,
  putAll,
  remove,
  removeAgain,
  reserve,
  type Resource,
  trespass,
  upload,
  type World
} from "./resources.ts"

/** Where a situation is driven. */
export interface Surroundings {
  readonly world: World
  readonly deployment: Deployment
  readonly accounts: readonly [Account, Account, ...Array<Account>]
  readonly choices: Choices
}

export type Situation = (scene: Surroundings) => Promise<void>

const kinds = ["build", "preview"] as const

/** Reads a resource on every host until each answer is conclusive. */
const judgeEverywhere = async (world: World, resource: Resource): Promise<void> => {
  for (const host of world.hosts) {
    while (!(await judge(world, host, resource))) await setTimeout(100)
  }
}

/** Kills a host and starts it so that it kills itself at a step, does something with it, and starts it as usual again. */
const killedAt = async (host: HostProcess, killAt: Step, during: () => Promise<unknown>): Promise<void> => {
  await host.kill()
  await host.start({ killAt })
  const done = during()
  await host.ended()
  await host.start()
  await done
}

/** What is finalized is there at once, on every host. */
const finalizedIsThere: Situation = async ({ accounts: [account], choices, world }) => {
  for (const kind of kinds) {
    const host = choices.oneOf(world.hosts)
    const resource = await upload(world, host, account, kind, newContents(account.name, 2))
    if (resource !== undefined) await judgeEverywhere(world, resource)
  }
}

/** A host is killed at the commit of a finalize: what it acknowledged is there, and what it didn't is finalized again. */
const killedWhileFinalizing: Situation = async ({ accounts: [account], choices, world }) => {
  const host = choices.oneOf(world.hosts)
  const kind = choices.oneOf(kinds)
  const reserved = await reserve(world, host, account, kind, newContents(account.name, 2))
  if (reserved === undefined || !(await putAll(world, reserved))) return
  const step = choices.oneOf(["before a finalize", "after a finalize"] as const)
  await killedAt(host, step, async () => {
    const resource = await finalize(world, host, reserved)
    if (resource !== undefined) await judgeEverywhere(world, resource)
  })
}

/** A host is killed at the commit of a deletion: what was to be deleted exists completely, or not at all. */
const killedWhileDeleting =
  (step: Step): Situation =>
  async ({ accounts: [account], choices, world }) => {
    const host = choices.oneOf(world.hosts)
    const kind = choices.oneOf(kinds)
    const resource = await upload(world, host, account, kind, newContents(account.name, 2))
    if (resource === undefined) return
    await host.kill()
    await host.start({ killAt: step })
    // It is sent once: a second request finishes the deletion.
    const asked = fetch(`${host.url}/api/v1/${kind}s/${resource.id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${account.key}` }
    }).catch(() => undefined)
    resource.state = "deleting"
    await asked
    await host.ended()
    await host.start()
    await judgeEverywhere(world, resource)
    await remove(world, host, resource)
  }

/** Another account deletes what isn't its own, on the host that made it too. */
const deletedByAnother: Situation = async ({ accounts: [account, other], choices, world }) => {
  for (const kind of kinds) {
    const host = choices.oneOf(world.hosts)
    const resource = await upload(world, host, account, kind, newContents(account.name, 1))
    if (resource === undefined) continue
    for (const one of world.hosts) await trespass(world, one, other, resource)
    await judgeEverywhere(world, resource)
  }
}

/** A sweep ends while uploads are reserved and partly PUT. */
const sweptWhileUploading: Situation = async ({ accounts: [account], choices, deployment, world }) => {
  const host = choices.oneOf(world.hosts)
  for (const kind of kinds) {
    const reserved = await reserve(world, host, account, kind, newContents(account.name, 2))
    if (reserved === undefined || !(await putAll(world, reserved))) continue
    await swept(deployment)
    const resource = await finalize(world, host, reserved)
    if (resource !== undefined) await judgeEverywhere(world, resource)
  }
}

/** How far a clock is ahead that is wrong: for longer than a reservation lives and stays after its end. */
export const aheadMillis = 150_000

/** A host whose clock is ahead sweeps alone, while uploads are reserved on another one. */
const sweptByAClockAhead: Situation = async ({ accounts: [account], deployment, world }) => {
  const [ahead, right] = world.hosts
  // A host that shares its clock with nobody has no other one to go by.
  if (right === undefined) return
  // A host that is killed during a sweep keeps its lease for two minutes.
  await swept(deployment)
  await right.kill()
  await right.start({ env: { SLIPWAY_SWEEP_INTERVAL: "off" } })
  await swept(deployment)
  const uploads = []
  for (const kind of kinds) {
    const reserved = await reserve(world, right, account, kind, newContents(account.name, 2))
    if (reserved !== undefined && (await putAll(world, reserved))) uploads.push(reserved)
  }
  ahead.moveClock(aheadMillis)
  await swept(deployment)
  ahead.moveClock(0)
  for (const reserved of uploads) {
    const resource = await finalize(world, right, reserved)
    if (resource !== undefined) await judgeEverywhere(world, resource)
  }
  await right.kill()
  await right.start()
}

/**
 * All situations. Those that wait for a sweep come before those that kill a host, which may then have the lease for two
 * minutes.
 */
export const situations = {
  sweptWhileUploading,
  sweptByAClockAhead,
  finalizedIsThere,
  deletedByAnother,
  killedWhileFinalizing,
  killedBeforeDeleting: killedWhileDeleting("before a deletion"),
  killedAfterDeleting: killedWhileDeleting("after a deletion")
} satisfies Readonly<Record<string, Situation>>

/** The situation in which each planted bug shows. */
export const showing: Readonly<Record<Planted, Situation>> = {
  "sweep-a-live-reservation": sweptWhileUploading,
  "sweep-by-a-wrong-clock": sweptByAClockAhead,
  "delete-bytes-before-the-row": situations.killedBeforeDeleting,
  "forget-the-account-in-a-deletion": deletedByAnother,
  "acknowledge-before-the-commit": finalizedIsThere,
  "skip-the-promotion": finalizedIsThere
}

const scopes = ["builds", "preview_upload", "test_runs", "delete"].flatMap((scope) => ["--scope", scope])

/** A new account with a repository `NAME/app` and a key. */
const newAccount = async (settings: Readonly<globalThis.Record<string, string>>, name: string): Promise<Account> => {
  await administer(settings, "account", "create", name)
  await administer(settings, "repo", "link", `${name}/app`, "--account", name)
  const key = at(await administer(settings, "key", "create", "--account", name, "--name", "ci", ...scopes), "key")
  if (typeof key !== "string") throw new Error(`no key was made for ${name}`)
  return { name, key, resources: [], cookie: undefined }
}

/** Starts the hosts of a deployment, with new accounts on them. */
export const openScene = async (
  deployment: Deployment,
  { record }: Pick<Circumstances, "record">,
  seed: string
): Promise<Surroundings> => {
  const { hosts, now, settings } = deployment
  await Promise.all(hosts.map((host) => host.start()))
  const accounts = [
    await newAccount(settings, "acme"),
    await newAccount(settings, "initech"),
    await newAccount(settings, "hooli")
  ] as const
  const world: World = { record, hosts, now, isDiskFull: false, isOver: false, lastEnd: 0 }
  return { world, deployment, accounts: [...accounts], choices: choicesOf(seed) }
}

// The end of a run: everything is checked once more, and only what is needed is left in the engines.

/** Checks every resource on every host, and deletes again what is deleted. */
export const judgeAll = async ({ accounts, world }: Surroundings): Promise<void> => {
  const judgeOf = async ({ resources }: Account) => {
    for (const resource of resources) {
      for (const host of world.hosts) {
        if (!(await judge(world, host, resource))) {
          world.record.broken(
            `nothing is known of the ${resource.kind} ${resource.id}, although nothing is away any more`
          )
        }
        if (resource.state === "deleted") await removeAgain(world, host, resource)
      }
    }
  }
  await Promise.all(accounts.map(judgeOf))
}

/**
 * The stored rows and objects that the resources need: one reservation each, and one object for each of their contents.
 */
const needed = async ({ accounts, world }: Surroundings) => {
  const [host] = world.hosts
  let [rows, objects, bytes] = [0, 0, 0]
  const add = async (resource: Resource) => {
    const seen = await look(world, host, resource)
    if (seen.found !== "whole") return
    rows += 1
    objects += seen.shows.length
    bytes += seen.shows.reduce((sum, one) => sum + one.bytes.byteLength, 0)
  }
  await Promise.all(
    accounts.map(async ({ resources }) => {
      for (const resource of resources) await add(resource)
    })
  )
  return { rows, objects, bytes }
}

interface Left extends Stored {
  readonly rows: number
}

const leftText = ({ bytes, objects, rows }: Left): string =>
  `${rows} reservations, ${objects} objects of ${bytes} bytes`

/** The sweeps after which a remaining object is a fault. */
const maxSweeps = 120

/** Sweeps until only what is needed is left, for which what was abandoned has to be over. */
export const spaceComesBack = async (scene: Surroundings): Promise<string> => {
  const { deployment, world } = scene
  await administer(deployment.settings, "gc")
  // From here on nothing expires.
  const needs = await needed(scene)
  for (let sweeps = 1; ; sweeps++) {
    const left = { rows: await reservations(deployment), ...(await deployment.stored()) }
    if (leftText(left) === leftText(needs)) return `${leftText(left)}: what is hosted needs them`
    if (sweeps === maxSweeps) {
      world.record.broken(`the space didn't come back: there are ${leftText(left)}, and needed are ${leftText(needs)}`)
      return leftText(left)
    }
    await setTimeout(1000)
    await administer(deployment.settings, "gc")
  }
}

// What is done to a deployment while clients use it. Each one ends with everything running again.

/** Disturbances by what a report calls them. */
export type Disturbances = Readonly<globalThis.Record<string, Situation>>

/** Some seconds, as long as something stays away. */
const aWhile = ({ choices }: Surroundings) => setTimeout(1000 + choices.below(5000))

const killHost: Situation = async ({ choices, world }) => {
  const host = choices.oneOf(world.hosts)
  await host.kill()
  await host.start()
}

/** It may have been in the middle of anything, and continues it. */
const freezeHost: Situation = async (scene) => {
  const host = scene.choices.oneOf(scene.world.hosts)
  host.freeze()
  await aWhile(scene)
  host.thaw()
}

const cutClients: Situation = async ({ choices, world }) => {
  for (let times = 0; times < 10; times++) {
    choices.oneOf(world.hosts).link.cut()
    await setTimeout(choices.below(500))
  }
}

const { killedAfterDeleting, killedBeforeDeleting } = situations

/** What can be done to hosts on any engines. */
const ofHosts: Disturbances = {
  "host killed": killHost,
  "host frozen": freezeHost,
  "host killed at the commit of a finalize": killedWhileFinalizing,
  "host killed before the commit of a deletion": killedBeforeDeleting,
  "host killed after the commit of a deletion": killedAfterDeleting,
  "clients cut off": cutClients,
  "swept while uploads are open": situations.sweptWhileUploading,
  "another's resources deleted": situations.deletedByAnother
}

/** Fills a disk to its last byte for a while, where one is mounted for that. */
const fillDisk =
  (folder: string): Situation =>
  async (scene) => {
    const ballast = join(folder, "ballast")
    scene.world.isDiskFull = true
    for (const size of [1024 ** 2, 4096, 1]) {
      const block = new Uint8Array(size)
      try {
        for (;;) writeFileSync(ballast, block, { flag: "a" })
      } catch {
        // There is no room for so many bytes any more.
      }
    }
    await aWhile(scene)
    rmSync(ballast)
    // Earlier requests are answered by then.
    await setTimeout(1000)
    scene.world.isDiskFull = false
  }

/** The clock is set ahead, and stays there. */
const moveClockOn: Situation = async ({ choices, world }) => {
  for (const host of world.hosts) host.moveClock(host.clock() + 1000 + choices.below(90_000))
}

export const onSqliteAndFiles = (disk: string | undefined): Disturbances => ({
  ...ofHosts,
  "clock moved on": moveClockOn,
  ...(disk === undefined ? {} : { "disk filled": fillDisk(disk) })
})

const away =
  (leave: () => Promise<void> | void, comeBack: () => Promise<void> | void): Situation =>
  async (scene) => {
    await leave()
    await aWhile(scene)
    await comeBack()
  }

/** A host's clock is off for a while. */
const moveClockFor =
  (millis: number): Situation =>
  async (scene) => {
    const host = scene.choices.oneOf(scene.world.hosts)
    host.moveClock(millis)
    await aWhile(scene)
    host.moveClock(0)
  }

export const onPostgresAndCeph = (
  postgres: PostgresServer,
  ceph: Ceph,
  links: { readonly database: Link; readonly store: Link }
): Disturbances => ({
  ...ofHosts,
  "all hosts killed": async ({ world }) => {
    await Promise.all(world.hosts.map(({ kill }) => kill()))
    await Promise.all(world.hosts.map(({ start }) => start()))
  },
  "PostgreSQL restarted": away(postgres.stop, postgres.start),
  "PostgreSQL restarted at once": async () => {
    await postgres.crash()
    await postgres.start()
  },
  "the store's gateway killed": away(ceph.stop, ceph.start),
  "the store frozen": away(
    () => ceph.signal("SIGSTOP"),
    () => ceph.signal("SIGCONT")
  ),
  "connections to PostgreSQL cut": async () => links.database.cut(),
  "connections to PostgreSQL held": away(links.database.hold, links.database.release),
  "connections to the store cut": async () => links.store.cut(),
  "clock ahead": moveClockFor(aheadMillis),
  "clock behind": moveClockFor(-20_000),
  "clock ahead of the one that sweeps": situations.sweptByAClockAhead
})
