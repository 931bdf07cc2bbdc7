/** Deletions, which are acknowledged once. */
import { ask, isUnknown } from "./asking.ts"
import type { HostProcess } from "./hostProcess.ts"
import { judge } from "./looking.ts"
import { pathOf, type Account, type Thing } from "./things.ts"
import { askUntilKnown, type World } from "./uploading.ts"

const deletion = ({ key }: Account) => ({ method: "DELETE" as const, headers: { authorization: `Bearer ${key}` } })

/** Deletes a thing until a host says that it is gone; then no host shows it any more. */
export const remove = async (world: World, host: HostProcess, thing: Thing): Promise<void> => {
  const wasThere = thing.state === "ready" && (!thing.mayGo || thing.isKept)
  thing.state = "deleting"
  const answer = await askUntilKnown(world, host, pathOf(thing), deletion(thing.account))
  if (answer === undefined) return
  if (answer.status === 204) world.record.count("deletions acknowledged")
  else if (answer.status !== 404 || (wasThere && answer.tries === 1))
    world.record.broken(`the deletion of the ${thing.kind} ${thing.id} was answered ${answer.status}`)
  thing.state = "deleted"
  for (const one of world.hosts) await judge(world, one, thing)
}

/** Deletes again what is deleted: it isn't there. */
export const removeAgain = async (world: World, host: HostProcess, thing: Thing): Promise<void> => {
  const answer = await ask(world, host.url + pathOf(thing), deletion(thing.account))
  if (isUnknown(answer)) return
  world.record.count("deletions asked for again")
  if (answer.status !== 404)
    world.record.broken(`the ${thing.kind} ${thing.id} was deleted twice: the second time with ${answer.status}`)
}

/** Another account reads and deletes what isn't its own: there is no such thing. */
export const trespass = async (world: World, host: HostProcess, by: Account, thing: Thing): Promise<void> => {
  for (const request of [{ headers: { authorization: `Bearer ${by.key}` } }, deletion(by)]) {
    const answer = await ask(world, host.url + pathOf(thing), request)
    if (isUnknown(answer)) continue
    world.record.count("others' things asked for")
    if (answer.status === 404) continue
    const did = "method" in request ? "delete" : "read"
    world.record.broken(
      `${by.name} may ${did} the ${thing.kind} ${thing.id} of ${thing.account.name}: ${answer.status}`
    )
  }
}
