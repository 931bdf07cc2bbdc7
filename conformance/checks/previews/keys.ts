import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Check } from "../steps/Check.ts"
import { answered2xx, mustAnswer } from "../steps/answers.ts"
import { keyOf } from "../steps/credentials.ts"
import { eventually, settled } from "../steps/eventually.ts"
import { existingPreview, suppliedPreview } from "../steps/existingPreview.ts"
import { bundleSizeBytes, fileSizeBytes, previewInput, recordingSizeBytes } from "../steps/inputs.ts"
import {
  finalizePreview,
  mustFinalize,
  mustStillWait,
  readPreview,
  standing,
  uploadedPreview
} from "../steps/previews.ts"
import { wrongKeyChecks } from "../steps/wrongKeys.ts"
import type { Endpoint, Group } from "../steps/wrongKeys.ts"

const bytes = bundleSizeBytes

const group: Group = {
  profile: "previews",
  prefix: "previews",
  scope: "preview_upload",
  lackedBy: ["builds", "testRuns"]
}

const reserve: Endpoint = {
  name: "reserve",
  noun: "A reservation of a preview",
  cost: { requests: 0, bytes: 0 },
  attempt: Effect.gen(function* () {
    const dialect = yield* Dialect
    const input = yield* previewInput("preview")
    return { send: (as) => dialect.reservePreview(input, as), prove: Effect.void }
  })
}

const finalize: Endpoint = {
  name: "finalize",
  noun: "A finalize of a preview",
  cost: { requests: 4, bytes },
  attempt: Effect.gen(function* () {
    const { reserved, shareId } = yield* uploadedPreview("preview")
    const before = yield* standing(shareId)
    return {
      send: (as) => finalizePreview(reserved, as),
      prove: mustStillWait(shareId, before, finalizePreview(reserved))
    }
  })
}

const read: Endpoint = {
  name: "read",
  noun: "A read of a preview",
  cost: { requests: 6, bytes: bytes + fileSizeBytes + recordingSizeBytes },
  supplied: suppliedPreview,
  attempt: Effect.gen(function* () {
    const { shareId } = yield* existingPreview("preview")
    yield* settled(readPreview(shareId))
    return { send: (as) => readPreview(shareId, as), prove: Effect.void }
  })
}

const suffices: Check = {
  id: "previews.scope.suffices",
  profile: "previews",
  title: "A key that has only the scope `preview_upload` reserves, finalizes and reads a preview.",
  cost: { requests: 4, bytes },
  run: Effect.gen(function* () {
    const key = keyOf("a", "previewUpload")
    const { reserved, shareId } = yield* uploadedPreview("preview", {}, key)
    yield* mustFinalize(reserved, "by a key with that scope alone", key)
    const answer = yield* eventually(readPreview(shareId, key), answered2xx)
    yield* mustAnswer(answer, "The read of a preview by a key with that scope alone")
  })
}

export const keyChecks: ReadonlyArray<Check> = [...wrongKeyChecks(group, [reserve, finalize, read]), suffices]
