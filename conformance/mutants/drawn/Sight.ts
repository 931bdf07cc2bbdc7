import type { Answer } from "../../session/Exchange.ts"
import type { Call, Fields } from "../parts/Call.ts"
import { isDone } from "../parts/fronts.ts"
import { members } from "../parts/json.ts"

/** A request and what was before it: what a condition looks at. */
export interface Sight {
  readonly call: Call
  /** What it sends, and what its upload, build or preview was reserved with. */
  readonly fields: Fields
  /** How many requests to its endpoint were before. */
  readonly before: number
  /** How many of them were about the same resource. */
  readonly beforeOfSame: number
  /** Whether one about the same resource was refused before. */
  readonly isAfterRefusal: boolean
  /** Whether one about the same resource was done before. */
  readonly isAgain: boolean
  /** Whether another to its endpoint is under way. */
  readonly isTogether: boolean
}

/** What a request is about: two with the same text are about the same resource. */
const subjectOf = ({ endpoint, fields, url }: Call): string => {
  const { branch, commitSha, owner, platform, previewShareId, repo, token } = fields
  const named = token ?? previewShareId
  if (named !== undefined) return `${endpoint} ${String(named)}`
  const identity = endpoint?.endsWith(".reserve") === true ? [owner, repo, branch, platform, commitSha] : url
  return `${endpoint} ${JSON.stringify(identity)}`
}

interface Known {
  count: number
  refused: boolean
  done: boolean
}

/** Remembers the requests to a host. */
export class Scene {
  readonly #known = new Map<string, Known>()
  readonly #reserved = new Map<string, Fields>()
  readonly #underWay = new Map<string, number>()

  #of(name: string): Known {
    const known = this.#known.get(name) ?? { count: 0, refused: false, done: false }
    this.#known.set(name, known)
    return known
  }

  /** A request begins. */
  begin(call: Call): Sight {
    const [all, same] = [this.#of(call.endpoint ?? ""), this.#of(subjectOf(call))]
    const id = String(call.fields["previewShareId"] ?? new URL(call.url).pathname.split("/").at(-1))
    const reserved = call.reservation?.call.fields ?? this.#reserved.get(id)
    const together = this.#underWay.get(call.endpoint ?? "") ?? 0
    this.#underWay.set(call.endpoint ?? "", together + 1)
    return {
      call,
      fields: { ...reserved, ...call.query, ...call.fields },
      before: all.count++,
      beforeOfSame: same.count++,
      isAfterRefusal: same.refused,
      isAgain: same.done,
      isTogether: together > 0
    }
  }

  /** It is answered. */
  end(call: Call, answer: Answer): void {
    this.#underWay.set(call.endpoint ?? "", (this.#underWay.get(call.endpoint ?? "") ?? 1) - 1)
    this.#of(subjectOf(call))[isDone(answer) ? "done" : "refused"] = true
    const { id, shareId } = members(answer.json)
    const made = call.endpoint === "builds.reserve" ? id : call.endpoint === "previews.reserve" ? shareId : undefined
    if (typeof made === "string" && isDone(answer)) this.#reserved.set(made, call.fields)
  }
}
