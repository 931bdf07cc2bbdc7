import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { hostedPreview, ownFile, ownRecording } from "./previews.ts"

/** What of the config a check that reads an {@link existingPreview} needs, to make nothing on the target. */
export const suppliedPreview = ["shareId"] as const

/**
 * A hosted preview to read: the one that the config supplies, or else one of the check's own with a file and a recording.
 * `own` is what its metadata may say and nothing else does, as far as that is known.
 */
export const existingPreview = Effect.fnUntraced(function* (label: string) {
  const { supplied } = (yield* Session).config
  if (supplied.shareId !== undefined) return { shareId: supplied.shareId, own: [] }
  const [file, recording] = [yield* ownFile(label), yield* ownRecording(label)]
  const { input, shareId } = yield* hostedPreview(label, { files: [file], recordings: [recording] })
  const { branch, commitSha } = input.fields
  return { shareId, own: [file.path, recording.name, branch, commitSha].filter((text) => typeof text === "string") }
})
