/** What is done to a deployment while clients use it. Each one ends with everything running again. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { PostgresServer } from "../../adapters/postgres/testing/startPostgres.ts"
import type { Ceph } from "../../adapters/s3/testing/startCeph.ts"
import type { Link } from "./link.ts"
import { aheadMillis, situations, type Scene, type Situation } from "./situations.ts"

/** Disturbances by what a report calls them. */
export type Disturbances = Readonly<globalThis.Record<string, Situation>>

/** Some seconds, as long as something stays away. */
const aWhile = ({ choices }: Scene) => setTimeout(1000 + choices.below(5000))

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

const { killedAfterDeleting, killedBeforeDeleting, killedWhileFinalizing } = situations

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
