import { newAccount } from "./accounts.ts"
import type { Circumstances } from "./requests.ts"
import { choicesOf } from "./choices.ts"
import type { Deployment } from "./deployment.ts"
import type { Scene } from "./situations.ts"
import type { World } from "./uploading.ts"

/** Starts the hosts of a deployment, with new accounts on them. */
export const openScene = async (
  deployment: Deployment,
  { record }: Pick<Circumstances, "record">,
  seed: string
): Promise<Scene> => {
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
