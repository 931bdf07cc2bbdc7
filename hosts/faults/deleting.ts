/** Deletions, which are acknowledged once. */
import { ask, isUnknown } from "./requests.ts"
import type { HostProcess } from "./hostProcess.ts"
import { judge } from "./looking.ts"
import { pathOf, type Account, type Resource } from "./resources.ts"
import { askUntilKnown, type World } from "./uploading.ts"

const deletion = ({ key }: Account) => ({ method: "DELETE" as const, headers: { authorization: `Bearer ${key}` } })

/** Deletes a resource until a host answers that it is deleted; then no host shows it any more. */
export const remove = async (world: World, host: HostProcess, resource: Resource): Promise<void> => {
  const wasThere = resource.state === "ready" && (!resource.mayExpire || resource.isKept)
  resource.state = "deleting"
  const answer = await askUntilKnown(world, host, pathOf(resource), deletion(resource.account))
  if (answer === undefined) return
  if (answer.status === 204) world.record.count("deletions acknowledged")
  else if (answer.status !== 404 || (wasThere && answer.tries === 1))
    world.record.broken(`the deletion of the ${resource.kind} ${resource.id} was answered ${answer.status}`)
  resource.state = "deleted"
  for (const one of world.hosts) await judge(world, one, resource)
}

/** Deletes again what is deleted: it isn't there. */
export const removeAgain = async (world: World, host: HostProcess, resource: Resource): Promise<void> => {
  const answer = await ask(world, host.url + pathOf(resource), deletion(resource.account))
  if (isUnknown(answer)) return
  world.record.count("deletions requested again")
  if (answer.status !== 404)
    world.record.broken(`the ${resource.kind} ${resource.id} was deleted twice: the second time with ${answer.status}`)
}

/** Another account reads and deletes what isn't its own: the answer is 404. */
export const trespass = async (world: World, host: HostProcess, by: Account, resource: Resource): Promise<void> => {
  for (const request of [{ headers: { authorization: `Bearer ${by.key}` } }, deletion(by)]) {
    const answer = await ask(world, host.url + pathOf(resource), request)
    if (isUnknown(answer)) continue
    world.record.count("requests for others' resources")
    if (answer.status === 404) continue
    const did = "method" in request ? "delete" : "read"
    world.record.broken(
      `${by.name} may ${did} the ${resource.kind} ${resource.id} of ${resource.account.name}: ${answer.status}`
    )
  }
}
