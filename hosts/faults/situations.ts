/**
 * Situations in which a planted bug shows, each driven until it is there. A service without faults keeps its promises in all
 * of them.
 */
import type { Choices } from "./choices.ts"
import { newContents } from "./contents.ts"
import { trespass, remove } from "./deleting.ts"
import { swept, type Deployment } from "./deployment.ts"
import type { HostProcess } from "./hostProcess.ts"
import type { Step } from "./killing.ts"
import { judge } from "./looking.ts"
import type { Planted } from "./planted.ts"
import type { Account, Resource } from "./resources.ts"
import { finalize, putAll, reserve, upload, type World } from "./uploading.ts"

/** Where a situation is driven. */
export interface Scene {
  readonly world: World
  readonly deployment: Deployment
  readonly accounts: readonly [Account, Account, ...Array<Account>]
  readonly choices: Choices
}

export type Situation = (scene: Scene) => Promise<void>

const kinds = ["build", "preview"] as const

/** Reads a resource on every host until each answer is conclusive. */
const judgeEverywhere = async (world: World, resource: Resource): Promise<void> => {
  for (const host of world.hosts) {
    while (!(await judge(world, host, resource))) await new Promise((resolve) => setTimeout(resolve, 100))
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
