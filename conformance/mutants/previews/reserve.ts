import { Effect } from "effect"
import type { Json, KeyName } from "../../session/Exchange.ts"
import { accountOf, by, keyOf, saying } from "../parts/Call.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"
import type { Front } from "../parts/Front.ts"
import { members } from "../parts/json.ts"
import { asking, at, isDone, lacking, refusing, withBody, type Where } from "../parts/fronts.ts"
import { otherSlots } from "../parts/slots.ts"

/** What a reservation of a preview answers. */
export const reserveMutants: MutantTable = {
  ...eachOf({ recording: "recordings", file: "files" } as const, (group, object) => [
    `reserve.third-${object}-without-slot`,
    `Only the first two ${group} of a preview have slots.`,
    "reserve.answer",
    otherSlots("previews", group, (slots) => slots.slice(0, 2))
  ]),
  ...lacking("slots", "A slot of a preview", at("previews.reserve"), {
    objectKey: "slots.object-key",
    contentType: "slots.content-type"
  })
}

/** Answers a reservation with the shareId of another account's preview of the same bundle. */
const byContent: Front = (ask) => {
  const known = new Map<unknown, readonly [account: unknown, shareId: Json | undefined]>()
  return (call) =>
    Effect.map(ask(call), (answered) => {
      if (call.endpoint !== "previews.reserve" || !isDone(answered)) return answered
      const { contentHash } = call.fields
      const [account, shareId] = known.get(contentHash) ?? []
      const fields = members(answered.json)
      if (shareId === undefined) known.set(contentHash, [accountOf(call), fields.shareId])
      return shareId === undefined || account === accountOf(call)
        ? answered
        : withBody(answered, { ...fields, shareId })
    })
}

/** Whose content and whose repository a preview may have. */
export const groundMutants: MutantTable = {
  "reserve.by-content": [
    "The same bundle from two accounts is one preview.",
    ["reserve.same-content", "metadata.account"],
    byContent
  ],
  "reserve.foreign-granted": [
    "A preview of another account's repository is reserved.",
    "reserve.foreign-repository",
    asking(
      at("previews.reserve", (call, { config }) => {
        const { a, b } = config.accounts
        return call.fields.owner === b.linked.owner && accountOf(call) === "a" && a.linked.owner !== b.linked.owner
      }),
      (call, { config }) => saying(call, config.accounts.a.linked)
    )
  ]
}

const billedTo = (key: KeyName): Where =>
  at("previews.reserve", (call) => call.fields.billingKind === "test_run" && keyOf(call) === key)

/** The keys that lack one of the scopes for a billed preview, by the scope that they have. */
const insufficient: Readonly<Record<string, readonly [key: KeyName, lacked: string]>> = {
  "preview-upload": ["previewUpload", "test-runs"],
  "test-runs": ["testRuns", "preview-upload"],
  "two-without-test-runs": ["withoutTestRuns", "test-runs"],
  "two-without-preview-upload": ["withoutPreviewUpload", "preview-upload"]
}

/** Which scopes a key needs to reserve a preview that is billed as a test run. */
export const billedMutants: MutantTable = {
  "billed.never": [
    "A preview that is billed as a test run is refused to a key with both scopes.",
    "billed.both-scopes",
    refusing(billedTo("all"))
  ],
  ...eachOf(insufficient, ([key, lacked], id) => [
    `billed.by-${id}`,
    `A preview that is billed as a test run is reserved by a key without \`${lacked.replace("-", "_")}\`.`,
    `billed.without-${lacked}`,
    asking(billedTo(key), (call) => by(call, accountOf(call) ?? "a"))
  ])
}
