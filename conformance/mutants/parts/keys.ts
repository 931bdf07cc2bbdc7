import { Effect } from "effect"
import type { KeyName } from "../../session/Exchange.ts"
import { keyHeader } from "../../session/keyHeader.ts"
import { accountOf, by, keyOf, type Area, type Call, type Endpoint } from "./Call.ts"
import type { Front } from "./Front.ts"
import { asking, at, continuing, refusing, type Where } from "./fronts.ts"
import type { MutantTable, Row } from "./Mutant.ts"

/** What each endpoint that requires the scope of its area does, as in "A request without a key …". */
const guarded: Readonly<Record<Area, Readonly<Record<string, string>>>> = {
  builds: {
    reserve: "reserves builds",
    finalize: "finalizes builds",
    latest: "reads the latest build of a branch",
    read: "reads builds by their ids"
  },
  previews: { reserve: "reserves previews", finalize: "finalizes previews", read: "reads previews" },
  runs: { register: "registers test runs", list: "lists test runs" }
}

/** The endpoints whose effect a read shows. */
const shown: ReadonlyArray<string> = ["builds.reserve", "builds.finalize", "previews.finalize", "runs.register"]

/** The keys of an account that lack the scope of an area. */
const lackedBy: Readonly<Record<Area, ReadonlyArray<KeyName>>> = {
  builds: ["previewUpload", "testRuns", "withoutBuilds"],
  previews: ["builds", "testRuns", "withoutPreviewUpload"],
  runs: ["builds", "previewUpload", "withoutTestRuns"]
}

/** The request with a key that has every scope, of the same account, or of account a when it had no key of an account. */
export const asIfAllowed = (call: Call): Call => by(call, accountOf(call) ?? "a")

const refusedAndDone = (where: Where): Front =>
  continuing(where, (refusal, call, ask) => Effect.as(ask(asIfAllowed(call)), refusal))

/** Who calls without the right key, and whether it is one. */
export const callers = (area: Area): ReadonlyArray<readonly [check: string, id: string, caller: string, is: Where]> => [
  ["key", "", "A request without a key", ({ by }) => by === "none"],
  ["key", "-of-nobody", "An unknown key", ({ by }) => by === "unknown"],
  [
    "scope",
    "",
    "A key with another scope",
    // A billed reservation needs another scope as well: `previews/reserve.ts` has those faults.
    (call) => lackedBy[area].some((key) => keyOf(call) === key) && call.fields.billingKind === undefined
  ],
  [
    "scope",
    "-by-two",
    "A key with the two other scopes",
    (call) => keyOf(call) === lackedBy[area][2] && call.fields.billingKind === undefined
  ]
]

/** Every wrong caller is accepted, or is refused and the request is done all the same, where a read can show it. */
const unguarded = (area: Area, name: string, does: string): MutantTable => {
  const endpoint = `${area}.${name}`
  const rows = callers(area).flatMap(([group, id, caller, is]): ReadonlyArray<readonly [string, Row]> => {
    const check = `${group}.${name}`
    const where: Where = (call, target) => call.endpoint === endpoint && is(call, target)
    const done = `${caller} is refused, and ${does} all the same.`
    return [
      [`${check}${id === "" ? "-unneeded" : id}`, [`${caller} ${does}.`, check, asking(where, asIfAllowed)]],
      ...(shown.includes(endpoint) ? [[`${check}${id}-done`, [done, check, refusedAndDone(where)]] as const] : [])
    ]
  })
  return Object.fromEntries(rows)
}

/** The endpoint requires another scope besides that of its area. */
const wantsMore = (endpoint: Endpoint, key: KeyName, scope: string, what: string): MutantTable => ({
  [`${endpoint.split(".")[1]}.wants-more`]: [
    `A key with only the scope \`${scope}\` can't ${what}.`,
    "scope.suffices",
    refusing(at(endpoint, (call) => keyOf(call) === key))
  ]
})

/** The value of the header that carries a key begins like that of account a's key. */
const beginsLikeA: Where = ({ by, headers }, { config, keys }) => {
  if (by !== "unknown" || keys.a.all === undefined) return false
  const [[name, value] = ["", ""]] = Object.entries(keyHeader(config.bindings.key, keys.a.all))
  return headers[name]?.startsWith(value.slice(0, Math.floor(value.length / 2))) === true
}

const special: Readonly<Record<Area, MutantTable>> = {
  builds: {
    "key.latest-by-beginning": [
      "A read of the latest build accepts a key of which only the first half is an account's.",
      "key.latest",
      asking(at("builds.latest", beginsLikeA), asIfAllowed)
    ],
    ...wantsMore("builds.latest", "builds", "builds", "read the latest build")
  },
  previews: wantsMore("previews.read", "previewUpload", "preview_upload", "read a preview"),
  runs: wantsMore("runs.list", "testRuns", "test_runs", "list test runs")
}

/** The mutants of an area that accept or refuse the wrong keys. */
export const keyMutants = (area: Area): MutantTable =>
  Object.assign({}, ...Object.entries(guarded[area]).map(([name, does]) => unguarded(area, name, does)), special[area])
