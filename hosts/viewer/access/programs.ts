import { Context, type Effect } from "effect"

/** A file of a program that the host provides under `/cli/`. */
export interface ProgramFile {
  readonly name: string
  readonly contentType: string
  readonly content: Uint8Array
  /** The SHA-512 of the content, as `integrity` attributes and lockfiles have it. */
  readonly integrity: string
}

/** The programs that the host provides, so that their version is always the host's; undefined where a server has none. */
export const Programs = Context.Reference<Effect.Effect<ReadonlyArray<ProgramFile>> | undefined>(
  "slipway/hosts/viewer/Programs",
  { defaultValue: () => undefined }
)
