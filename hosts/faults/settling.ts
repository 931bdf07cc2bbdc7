/** The end of a run: everything is checked once more, and only what is needed is left in the engines. */
import { administer } from "./administer.ts"
import { removeAgain } from "./deleting.ts"
import { reservations, type Stored } from "./deployment.ts"
import { look, judge } from "./looking.ts"
import type { Scene } from "./situations.ts"
import type { Account, Resource } from "./resources.ts"

/** Checks every resource on every host, and deletes again what is deleted. */
export const judgeAll = async ({ accounts, world }: Scene): Promise<void> => {
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
const needed = async ({ accounts, world }: Scene) => {
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
export const spaceComesBack = async (scene: Scene): Promise<string> => {
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
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await administer(deployment.settings, "gc")
  }
}
