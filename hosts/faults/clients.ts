/** The clients of a run: each carries out random actions, one after the other, until the run is over. */
import { setTimeout } from "node:timers/promises"
import {
  type Account,
  administer,
  ask,
  askUntilKnown,
  at,
  finalize,
  isUnknown,
  json,
  judge,
  mayBeDeleted,
  newIdentity,
  putAll,
  remove,
  removeAgain,
  reserve,
  type Resource,
  trespass,
  upload
} from "./resources.ts"
import { type Choices, choicesOf, newContents } from "./choices.ts"
import type { Surroundings } from "./situations.ts"

interface Client {
  readonly scene: Surroundings
  readonly account: Account
  readonly choices: Choices
}

type Deed = (client: Client) => Promise<void>

const kindOf = ({ choices }: Client) => choices.oneOf(["build", "preview"] as const)
const hostOf = ({ choices, scene }: Client) => choices.oneOf(scene.world.hosts)
const filesOf = ({ choices }: Client) => choices.below(4)

/** One of the account's resources for which this is true. */
const one = ({ account, choices }: Client, is: (resource: Resource) => boolean): Resource | undefined => {
  const found = account.resources.filter(is)
  return found.length === 0 ? undefined : choices.oneOf(found)
}

const uploads: Deed = async (client) => {
  const { account, scene } = client
  await upload(scene.world, hostOf(client), account, kindOf(client), newContents(account.name, filesOf(client)))
}

const abandons: Deed = async (client) => {
  const { account, choices, scene } = client
  const reserved = await reserve(
    scene.world,
    hostOf(client),
    account,
    kindOf(client),
    newContents(account.name, filesOf(client))
  )
  if (reserved === undefined) return
  if (choices.below(2) === 0) await putAll(scene.world, reserved)
  scene.world.record.count("uploads abandoned")
}

/** Uploads a build of the same identity again, so that the upload before is superseded. */
const uploadsAgain: Deed = async (client) => {
  const { account, scene } = client
  const before = one(client, ({ kind, mayExpire, state }) => kind === "build" && state === "ready" && !mayExpire)
  if (before === undefined) return
  before.state = "changing"
  const contents = newContents(account.name, filesOf(client))
  const reserved = await reserve(scene.world, hostOf(client), account, "build", contents, before.identity)
  if (reserved === undefined || !(await putAll(scene.world, reserved))) {
    before.state = "ready"
    return
  }
  await finalize(scene.world, hostOf(client), reserved, { before })
}

/** Uploads what is hosted already, without sending it again. */
const uploadsTheSame: Deed = async (client) => {
  const { account, scene } = client
  const { record } = scene.world
  const source = one(client, ({ mayExpire, state }) => state === "ready" && !mayExpire)
  const contents = source?.versions[0]
  if (source === undefined || contents === undefined) return
  const reserved = await reserve(scene.world, hostOf(client), account, kindOf(client), contents)
  if (reserved === undefined) return
  if (!reserved.slots.every((slot) => at(slot, "uploaded") === true)) {
    if (await putAll(scene.world, reserved)) await finalize(scene.world, hostOf(client), reserved)
    return
  }
  const mayMiss = () => mayBeDeleted(contents)
  if ((await finalize(scene.world, hostOf(client), reserved, { mayMiss })) !== undefined) {
    record.count("uploads of what was hosted already")
  }
}

/** Reserves what another account has hosted: nothing of it is there. */
const asksForOthersContents: Deed = async (client) => {
  const { account, choices, scene } = client
  const other = choices.oneOf(scene.accounts.filter((one) => one !== account))
  const [contents] = other.resources.findLast(({ state }) => state === "ready")?.versions ?? []
  if (contents === undefined) return
  const reserved = await reserve(scene.world, hostOf(client), account, kindOf(client), contents)
  if (reserved?.slots.some((slot) => at(slot, "uploaded") === true) === true) {
    scene.world.record.broken(`${account.name} got the answer that what ${other.name} has hosted is uploaded`)
  }
}

/** Looks at something, whatever became of it. */
const looks: Deed = async (client) => {
  const resource = one(client, () => true)
  if (resource !== undefined) await judge(client.scene.world, hostOf(client), resource)
}

const looksAtTheLatest: Deed = async (client) => {
  const resource = client.account.resources.at(-1)
  if (resource !== undefined) await judge(client.scene.world, hostOf(client), resource)
}

const deletes: Deed = async (client) => {
  const resource = one(client, ({ isKept, mayExpire, state }) => state === "ready" && !isKept && !mayExpire)
  if (resource !== undefined) await remove(client.scene.world, hostOf(client), resource)
}

const deletesAgain: Deed = async (client) => {
  const resource = one(client, ({ state }) => state === "deleted")
  if (resource !== undefined) await removeAgain(client.scene.world, hostOf(client), resource)
}

const trespasses: Deed = async (client) => {
  const { account, choices, scene } = client
  const other = choices.oneOf(scene.accounts.filter((one) => one !== account))
  const resource = other.resources.length === 0 ? undefined : choices.oneOf(other.resources)
  if (resource !== undefined) await trespass(scene.world, hostOf(client), account, resource)
}

/** The branch of which retention keeps three builds. */
const rolling = "rolling"

/** Builds a branch, and has some of its builds kept. Of the others, all but the latest three expire. */
const buildsABranch: Deed = async (client) => {
  const { account, choices, scene } = client
  const contents = newContents(account.name, 1)
  const built = await upload(scene.world, hostOf(client), account, "build", contents, newIdentity(rolling))
  if (built === undefined) return
  if (choices.below(4) === 0) {
    const kept = await administer(scene.deployment.settings, "keep", "build", built.id)
    if (kept !== undefined) {
      built.isKept = true
      scene.world.record.count("builds kept")
    }
  }
  for (const resource of account.resources)
    if (resource.identity.branch === rolling && resource !== built) resource.mayExpire = true
}

/** Registers a test run, and finds it among those of its branch, alone. */
const registersARun: Deed = async (client) => {
  const { account, scene } = client
  const { record } = scene.world
  const preview = one(client, ({ kind, state }) => kind === "preview" && state === "ready")
  if (preview === undefined) return
  const branch = crypto.randomUUID()
  const request = json(account, {
    owner: account.name,
    repo: "app",
    kind: "maestro",
    name: "Home",
    branch,
    previewShareId: preview.id
  })
  const headers = { ...request.headers, "idempotency-key": crypto.randomUUID() }
  const answer = await askUntilKnown(scene.world, hostOf(client), "/api/v1/test-runs", { ...request, headers })
  if (answer?.status !== 201) {
    if (answer !== undefined && preview.state === "ready")
      record.broken(`a run of the preview ${preview.id} was refused: ${answer.status}`)
    return
  }
  record.count("runs registered")
  const query = `org=${account.name}&repo=app&branch=${branch}`
  const listed = await ask(scene.world, `${hostOf(client).url}/api/v1/test-runs?${query}`, {
    headers: { authorization: `Bearer ${account.key}` }
  })
  if (isUnknown(listed)) return
  const runs = at(listed.body, "testRuns")
  const ids = Array.isArray(runs) ? runs.map((run: unknown) => at(run, "id")) : []
  if (ids.length !== 1 || ids[0] !== at(answer.body, "id")) {
    record.broken(`of the branch ${branch} of ${account.name}, ${ids.length} runs are listed in place of the one`)
  }
}

/** What a client does, as often as it stands here. */
const deeds: ReadonlyArray<Deed> = [
  uploads,
  uploads,
  uploads,
  abandons,
  abandons,
  uploadsAgain,
  uploadsTheSame,
  asksForOthersContents,
  looks,
  looks,
  looks,
  looksAtTheLatest,
  looksAtTheLatest,
  deletes,
  deletesAgain,
  trespasses,
  registersARun
]

/**
 * How many resources an account has before its clients delete instead of uploading, so that a run can check all of
 * them.
 */
const enough = 150

const next = ({ account, choices }: Client): Deed => {
  const deed = choices.oneOf(deeds)
  const { length } = account.resources.filter(({ state }) => state !== "deleted")
  return length > enough && (deed === uploads || deed === uploadsTheSame) ? deletes : deed
}

/** Of each account, how many clients do anything; one more builds a branch. */
const busyClients = 2

/** Starts the clients of all accounts, which end when the run is over. */
export const startClients = (scene: Surroundings, seed: string): Promise<unknown> =>
  Promise.all(
    scene.accounts.flatMap((account) =>
      Array.from({ length: busyClients + 1 }, async (_, nth) => {
        const client = { scene, account, choices: choicesOf(`${seed} ${account.name} ${nth}`) }
        while (!scene.world.isOver) {
          await (nth < busyClients ? next(client) : buildsABranch)(client)
          await setTimeout(nth < busyClients ? client.choices.below(100) : 2000)
        }
      })
    )
  )
