import { accountOf, keyOf, type Endpoint } from "../parts/Call.ts"
import { items } from "../parts/json.ts"
import type { Sight } from "./Sight.ts"

/** When a mutant has its fault: completes "… if …", the endpoints it is for, all by default, and whether it holds. */
export type Condition = readonly [text: string, holds: (sight: Sight) => boolean, endpoints?: ReadonlyArray<Endpoint>]

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const ofUploads = [
  "builds.reserve",
  "builds.finalize",
  "builds.read",
  "previews.reserve",
  "previews.finalize",
  "previews.read",
  "put"
] as const
const ofBuilds = ["builds.reserve", "builds.finalize", "builds.latest", "builds.read"] as const
const ofPreviews = ["previews.reserve", "previews.finalize", "previews.read"] as const
/** For the endpoints that get the name of a branch. */
export const ofBranches = [
  "builds.reserve",
  "builds.finalize",
  "builds.latest",
  "builds.read",
  "runs.register"
] as const
const ofRuns = ["runs.register"] as const
/** For the endpoints that want a key. */
export const ofCallers = [...ofBuilds, ...ofPreviews, ...ofRuns, "runs.list"] as const

const files = ({ fields }: Sight): number => items(fields.files).length
const place = ({ call }: Sight): number => call.reservation?.putUrls.indexOf(call.url) ?? -1
const places = ({ call }: Sight): number => call.reservation?.putUrls.length ?? 0

/** What a fault can depend on. */
export const dimensions: Readonly<Record<string, ReadonlyArray<Condition>>> = {
  which: [
    ["it is for iOS", ({ fields }) => fields.platform === "ios", [...ofBuilds, ...ofPreviews, "put"]],
    ["it is for Android", ({ fields }) => fields.platform === "android", ofBuilds],
    ["account a asks", ({ call }) => accountOf(call) === "a", ofCallers],
    ["account b asks", ({ call }) => accountOf(call) === "b", ofCallers],
    ["its key has every scope", ({ call }) => keyOf(call) === "all", ofCallers],
    ["it is the object that was declared first", (sight) => place(sight) === 0, ["put"]],
    [
      "it is neither the first object nor the last",
      (sight) => place(sight) > 0 && place(sight) < places(sight) - 1,
      ["put"]
    ],
    ["it is the object that was declared last", (sight) => place(sight) === places(sight) - 1, ["put"]],
    ["it is a Maestro run", ({ fields }) => fields.kind === "maestro", ofRuns],
    ["it is a Detox run", ({ fields }) => fields.kind === "detox", ofRuns],
    ["it passed", ({ fields }) => fields.status === "passed", ofRuns],
    ["it failed", ({ fields }) => fields.status !== "passed", ofRuns]
  ],
  when: [
    ["it is the first about its resource", ({ beforeOfSame }) => beforeOfSame === 0],
    ["it isn't the first about its resource", ({ beforeOfSame }) => beforeOfSame > 0],
    ["one about its resource was refused before", ({ isAfterRefusal }) => isAfterRefusal],
    ["another one is under way", ({ isTogether }) => isTogether],
    ["it is the first of all", ({ before }) => before === 0],
    ["it isn't one of the first three", ({ before }) => before > 2],
    ["it is one of two", ({ before }) => before % 2 === 1],
    ["it is one of three", ({ before }) => before % 3 === 2]
  ],
  "with what": [
    ["it has no files", (sight) => files(sight) === 0, ofUploads],
    ["it has files", (sight) => files(sight) > 0, ofUploads],
    ["it has more than two files", (sight) => files(sight) > 2, ofUploads],
    ["it has recordings", ({ fields }) => items(fields.recordings).length > 0, [...ofPreviews, "put"]],
    ["its bundle isn't transformed", ({ fields }) => fields.isTransformed === false, [...ofUploads]],
    ["its bundle is transformed", ({ fields }) => fields.isTransformed === true, [...ofUploads]],
    ["its branch has a slash", ({ fields }) => text(fields.branch).includes("/"), ofBranches],
    ["its branch isn't in ASCII", ({ fields }) => /\P{ASCII}/u.test(text(fields.branch)), ofBranches],
    ["the name of its branch is long", ({ fields }) => text(fields.branch).length > 40, ofBranches],
    ["its commit ends with a digit below 8", ({ fields }) => /[0-7]$/.test(text(fields.commitSha)), ofBuilds],
    ["it has a name", ({ fields }) => fields.name !== undefined, ofRuns],
    ["it has a prompt", ({ fields }) => fields.prompt !== undefined, ofRuns],
    ["it has a failureMessage", ({ fields }) => fields.failureMessage !== undefined, ofRuns],
    ["it has no limit", ({ fields }) => fields.limit === undefined, ["runs.list"]],
    ["it has a limit below 100", ({ fields }) => Number(fields.limit) < 100, ["runs.list"]],
    ["it has a limit of 100 or more", ({ fields }) => Number(fields.limit) >= 100, ["runs.list"]],
    ["it names a branch", ({ fields }) => fields.branch !== undefined, ["runs.list"]],
    ["it names a kind", ({ fields }) => fields.kind !== undefined, ["runs.list"]]
  ]
}
