import { answer, answeringDone, at, tellingElse, without } from "../parts/fronts.ts"
import type { Fields } from "../parts/Call.ts"
import { members } from "../parts/json.ts"
import type { Mutant } from "../parts/Mutant.ts"

const finalize = at("builds.finalize")
const everyAnswer = at(["builds.reserve", "builds.finalize", "builds.latest", "builds.read"])

const withoutOrigin = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      names.includes(name) && typeof value === "string" ? new URL(value).pathname : value
    ])
  )

/** What finalize answers of a build that is ready. */
export const finalizeMutants: ReadonlyArray<Mutant> = [
  {
    id: "builds.finalize.answers-200",
    fault: "Finalize answers 200.",
    caughtBy: ["builds.finalize.created"],
    front: answeringDone(finalize, ({ json }) => answer(200, members(json)))
  },
  {
    id: "builds.finalize.no-preview-url",
    fault: "The row that finalize answers has no previewUrl.",
    caughtBy: ["builds.finalize.preview-url"],
    front: without(finalize, "previewUrl")
  },
  {
    id: "builds.finalize.no-status",
    fault: "The row that finalize answers has no status.",
    caughtBy: ["builds.finalize.status"],
    front: without(finalize, "status")
  },
  {
    id: "builds.finalize.no-url",
    fault: "The row that finalize answers has no url.",
    caughtBy: ["builds.reserve.url"],
    front: without(finalize, "url")
  },
  {
    id: "builds.urls.relative",
    fault: "The url and the previewUrl of a build are relative, wherever they are answered.",
    caughtBy: ["builds.finalize.absolute-urls"],
    front: tellingElse(everyAnswer, (fields) => withoutOrigin(fields, ["url", "previewUrl"]))
  },
  {
    id: "builds.urls.relative-preview",
    fault: "The previewUrl of a build is relative.",
    caughtBy: ["builds.finalize.absolute-urls"],
    front: tellingElse(everyAnswer, (fields) => withoutOrigin(fields, ["previewUrl"]))
  }
]
