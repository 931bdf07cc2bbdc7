import { Context, type Effect } from "effect"
import type { Violation } from "./Violation.ts"
import type { Answer, Content, Credential, Json, Tamper } from "../session/Exchange.ts"
import type { NoAnswer } from "../session/Session.ts"

/** What is declared at reserve and PUT afterwards. Each object of a reservation has a different content type. */
export interface Declared {
  readonly content: Content
  readonly contentType: string
}
export interface DeclaredFile extends Declared {
  readonly path: string
}
export interface DeclaredRecording extends Declared {
  readonly name: string
  readonly kind: string
}

/**
 * Fields of a request that replace the usual ones; `undefined` leaves one out. The usual fields are valid: the linked
 * repository of the account that asks (of `a` where none asks), platform `ios`, and a branch and a commit of the check.
 * A list is asked for with `org` and `repo` alone. A field outside the interface is sent where the bindings have a
 * place for it.
 */
export type Fields = Readonly<Record<string, Json | undefined>>

export interface BuildInput {
  readonly bundle: Declared
  readonly files: ReadonlyArray<DeclaredFile>
  readonly fields: Fields
}
export interface PreviewInput {
  readonly bundle: Declared
  readonly files: ReadonlyArray<DeclaredFile>
  readonly recordings: ReadonlyArray<DeclaredRecording>
  readonly fields: Fields
}

export interface Slot {
  readonly putUrl: string
  /** The content type to send with the PUT: the slot's, or the declared one when the slot names none. */
  readonly contentType: string
  readonly objectKey: string | undefined
  /** The content to PUT. */
  readonly content: Content
  /** The slot as it was answered. */
  readonly json: Readonly<Record<string, Json>>
}

/**
 * A reservation as it was answered, with its slots in the order bundle, files, recordings. `url` belongs to a build,
 * `shareId` to a preview.
 */
export interface Reserved {
  readonly answer: Answer
  readonly token: string
  readonly url: string | undefined
  readonly shareId: string | undefined
  readonly slots: ReadonlyArray<Slot>
}

/** A build row or a preview's finalize answer, with the fields of the interface. */
export interface Row {
  readonly answer: Answer
  readonly url: string | undefined
  readonly previewUrl: string | undefined
  readonly id: string | undefined
  readonly status: Json | undefined
}

export interface Registered {
  readonly answer: Answer
  readonly previewUrl: string | undefined
  readonly traceUrl: string | undefined
}

export interface Listed {
  readonly answer: Answer
  readonly runs: ReadonlyArray<ListedRun>
  readonly nextCursor: string | undefined
}
export interface ListedRun {
  readonly json: Json
  readonly name: string | undefined
  /** Whether it is stored as passed. */
  readonly passed: boolean
  readonly traceUrl: string | undefined
}

/**
 * The interface as this target speaks it: how requests are written and where answers hold their values, by the bindings
 * or, without one, by search.
 *
 * The plain verbs (`reserveBuild`, `put` …) send one request and answer the response. The readers (`reserved`, `row` …)
 * read an answer and fail with a Violation when a value that the interface requires is missing.
 */
export class Dialect extends Context.Service<
  Dialect,
  {
    readonly reserveBuild: (input: BuildInput, as: Credential) => Effect.Effect<Answer, NoAnswer>
    readonly finalizeBuild: (token: string, as: Credential) => Effect.Effect<Answer, NoAnswer>
    readonly latestBuild: (query: Fields, as: Credential) => Effect.Effect<Answer, NoAnswer>
    readonly build: (id: string, as: Credential) => Effect.Effect<Answer, NoAnswer>
    readonly put: (
      slot: Pick<Slot, "putUrl">,
      sent: {
        readonly contentType: string
        readonly content: Content
        readonly method?: string
        readonly tamper?: Tamper
        readonly as?: Credential
      }
    ) => Effect.Effect<Answer, NoAnswer>
    readonly reservePreview: (input: PreviewInput, as: Credential) => Effect.Effect<Answer, NoAnswer>
    readonly finalizePreview: (
      reserved: Pick<Reserved, "token" | "shareId">,
      as: Credential
    ) => Effect.Effect<Answer, NoAnswer>
    readonly preview: (shareId: string, as: Credential) => Effect.Effect<Answer, NoAnswer>
    readonly registerRun: (fields: Fields, as: Credential) => Effect.Effect<Answer, NoAnswer>
    readonly listRuns: (query: Fields, as: Credential) => Effect.Effect<Answer, NoAnswer>

    /** Reads a 2xx answer to a build or preview reservation of these objects. Its token and `putUrl`s are secret. */
    readonly reserved: (answer: Answer, input: BuildInput | PreviewInput) => Effect.Effect<Reserved, Violation>
    /** Reads a 2xx answer to finalize or a read of a build, or to finalize or a read of a preview. */
    readonly row: (answer: Answer) => Effect.Effect<Row, Violation>
    readonly registered: (answer: Answer) => Effect.Effect<Registered, Violation>
    readonly listed: (answer: Answer) => Effect.Effect<Listed, Violation>
    /**
     * What in the body of an answer may be its error code: the value at its binding, or else of the member that is named
     * like one, or else every short text without spaces.
     */
    readonly codes: (answer: Answer) => ReadonlyArray<string>
  }
>()("slipway/conformance/dialect/Dialect") {}
