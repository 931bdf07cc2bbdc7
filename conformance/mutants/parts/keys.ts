import { Effect } from "effect"
import type { KeyName } from "../../session/Exchange.ts"
import { keyHeader } from "../../session/keyHeader.ts"
import { accountOf, by, keyOf, type Area, type Call, type Endpoint } from "./Call.ts"
import type { Front } from "./Front.ts"
import { asking, at, continuing, refusing, type Where } from "./fronts.ts"
import type { MutantTable } from "./Mutant.ts"

/** An endpoint that requires a key with the scope of its area. */
interface Guarded {
  readonly endpoint: Exclude<Endpoint, "put">
  readonly area: Area
  /** Its name in the ids of checks. */
  readonly name: string
  /** Completes "A request without a key …". */
  readonly does: string
  /** Whether a read shows its effect. */
  readonly shows: boolean
}

const guarded: ReadonlyArray<Guarded> = [
  { endpoint: "builds.reserve", area: "builds", name: "reserve", does: "reserves builds", shows: true },
  { endpoint: "builds.finalize", area: "builds", name: "finalize", does: "finalizes builds", shows: true },
  {
    endpoint: "builds.latest",
    area: "builds",
    name: "latest",
    does: "reads the latest build of a branch",
    shows: false
  },
  { endpoint: "builds.read", area: "builds", name: "read", does: "reads builds by their ids", shows: false },
  { endpoint: "previews.reserve", area: "previews", name: "reserve", does: "reserves previews", shows: false },
  { endpoint: "previews.finalize", area: "previews", name: "finalize", does: "finalizes previews", shows: true },
  { endpoint: "previews.read", area: "previews", name: "read", does: "reads previews", shows: false },
  { endpoint: "runs.register", area: "runs", name: "register", does: "registers test runs", shows: true },
  { endpoint: "runs.list", area: "runs", name: "list", does: "lists test runs", shows: false }
]

/** The keys of an account that lack the scope of an area. */
const lackedBy: Readonly<Record<Area, ReadonlyArray<KeyName>>> = {
  builds: ["previewUpload", "testRuns"],
  previews: ["builds", "testRuns"],
  runs: ["builds", "previewUpload"]
}

/** The request with a key that has every scope, of the same account, or of account a when it had no key of an account. */
const asIfAllowed = (call: Call): Call => by(call, accountOf(call) ?? "a")

const refusedAndDone = (where: Where): Front =>
  continuing(where, (refusal, call, ask) => Effect.as(ask(asIfAllowed(call)), refusal))

const unguarded = ({ area, does, endpoint, name, shows }: Guarded): MutantTable => {
  const noKey = at(endpoint, ({ by }) => by === "none")
  const unknownKey = at(endpoint, ({ by }) => by === "unknown")
  // A billed reservation needs another scope as well: `billed.ts` has those faults.
  const noScope = at(
    endpoint,
    (call) => lackedBy[area].some((key) => keyOf(call) === key) && call.fields.billingKind === undefined
  )
  const [key, scope] = [`${area}.key.${name}`, `${area}.scope.${name}`]
  const inSecret: MutantTable = {
    [`${key}-done`]: [`A request without a key is refused, and ${does} all the same.`, key, refusedAndDone(noKey)],
    [`${scope}-done`]: [
      `A key with another scope is refused, and ${does} all the same.`,
      scope,
      refusedAndDone(noScope)
    ]
  }
  return {
    [`${key}-unneeded`]: [`A request without a key ${does}.`, key, asking(noKey, asIfAllowed)],
    [`${key}-of-nobody`]: [`An unknown key ${does}.`, key, asking(unknownKey, asIfAllowed)],
    [`${scope}-unneeded`]: [`A key with another scope ${does}.`, scope, asking(noScope, asIfAllowed)],
    ...(shows ? inSecret : {})
  }
}

/** The endpoint requires another scope besides that of its area. */
const wantsMore = (endpoint: Endpoint, key: KeyName, fault: string): MutantTable => ({
  [`${endpoint}.wants-more`]: [
    fault,
    `${endpoint.split(".")[0]}.scope.suffices`,
    refusing(at(endpoint, (call) => keyOf(call) === key))
  ]
})

/** The value of the header that carries a key begins like that of account a's key. */
const beginsLikeA: Where = ({ by, headers }, { config, keys }) => {
  if (by !== "unknown" || keys.a.all === undefined) return false
  const [[name, value] = ["", ""]] = Object.entries(keyHeader(config.bindings.key, keys.a.all))
  return headers[name]?.startsWith(value.slice(0, Math.floor(value.length / 2))) === true
}

/** Keys are compared by their first half. */
const byBeginning: Readonly<Record<Area, MutantTable>> = {
  builds: {
    "builds.key.latest-by-beginning": [
      "A read of the latest build accepts a key of which only the first half is an account's.",
      "builds.key.latest",
      asking(at("builds.latest", beginsLikeA), asIfAllowed)
    ]
  },
  previews: {},
  runs: {}
}

const wantMore: Readonly<Record<Area, MutantTable>> = {
  builds: wantsMore("builds.latest", "builds", "A key with only the scope `builds` can't read the latest build."),
  previews: wantsMore(
    "previews.read",
    "previewUpload",
    "A key with only the scope `preview_upload` can't read a preview."
  ),
  runs: wantsMore("runs.list", "testRuns", "A key with only the scope `test_runs` can't list test runs.")
}

/** The mutants of an area that accept or refuse the wrong keys. */
export const keyMutants = (area: Area): MutantTable =>
  Object.assign({}, ...guarded.filter((one) => one.area === area).map(unguarded), byBeginning[area], wantMore[area])
