import type { Answer } from "../../session/Exchange.ts"
import type { Outgoing } from "../../session/transport.ts"
import type { Endpoint, Fields } from "./Call.ts"

/** A request in the wire dialect of the reference host. */
export type WireRequest = Outgoing & { readonly endpoint: Endpoint | undefined }

/**
 * How a host writes what the interface leaves open. Mutants are written in the dialect of the reference host, which is
 * translated for every other base, so that a mutant is the same fault in both.
 */
export interface WireDialect {
  /** A request that was written for this host, in the words of the reference host. */
  readonly toReferenceRequest: (request: Outgoing) => Outgoing
  /** The same the other way round. */
  readonly fromReferenceRequest: (asked: WireRequest) => Outgoing
  /** This host's answer, in the words of the reference host. */
  readonly toReferenceAnswer: (answer: Answer, asked: WireRequest) => Answer
  /** The same the other way round. */
  readonly fromReferenceAnswer: (answer: Answer, asked: WireRequest) => Answer
  /** The metadata of a preview that isn't hosted as it would read if it were, both in the words of the reference host. */
  readonly asHosted: (fields: Fields) => Fields
}
