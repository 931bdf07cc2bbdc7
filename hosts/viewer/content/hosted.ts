import { Effect, type Scope } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import type { PreviewDeclaration } from "../../../core/model/Preview.ts"
import { NotFound, type RangeNotSatisfiable, type Unavailable } from "../../../core/model/Problem.ts"
import type { OpenObject } from "../../../core/ports/ObjectStore.ts"
import { declaredObjects, recordingObject } from "../../../core/rules/reservations.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import type { CapabilityTarget } from "../access/capability.ts"
import { validatorOf } from "./validator.ts"

/** An HTTP archive among the recordings, and its index. */
interface Archive {
  readonly index: number
  readonly name: string
  /** Opens it until the scope closes. */
  readonly open: ReturnType<Hosted["open"]>
}

/** A ready bundle with its files, of a build or a preview. */
interface Hosted {
  readonly title: string
  readonly entry: string | undefined
  /** The archives that answer the app instead of its API. */
  readonly archives: ReadonlyArray<Archive>
  /** The validator of the bundle, or of the file declared at `path`, if it is never replaced. */
  readonly validator: (path?: string) => string | undefined
  /** Opens the bundle, or the file declared at `path`, until the scope closes. */
  readonly open: (what: {
    readonly path?: string | undefined
    readonly range: ByteRange | undefined
  }) => Effect.Effect<OpenObject, NotFound | RangeNotSatisfiable | Unavailable, Scope.Scope>
}

/** The object of a preview that is its bundle, or its file declared at `path`; `undefined` if there is none. */
export const previewObject = (declaration: PreviewDeclaration, path: string | undefined): string | undefined =>
  declaredObjects(declaration).find((object) => object.path === path)?.name

/** What a capability runs; `NotFound` if the capability is for objects or the bundle isn't ready. */
export const hosted = Effect.fnUntraced(function* (account: AccountId, opens: CapabilityTarget) {
  const reader = { account: { id: account } }
  if ("build" in opens) {
    const builds = yield* Builds
    const { repository, upload } = yield* builds.read(reader, opens.build)
    if (upload.hostedPrefix === undefined) return yield* NotFound.answer
    return {
      title: repository.repo,
      entry: upload.declaration.entry,
      archives: [],
      // A later upload may replace this one at any time, so there is no validator.
      validator: () => undefined,
      open: (what) => builds.open(reader, opens.build, what)
    } satisfies Hosted
  }
  if (!("preview" in opens)) return yield* NotFound.answer
  const previews = yield* Previews
  const preview = yield* previews.read(reader, opens.preview)
  const { declaration, hostedPrefix } = preview
  if (hostedPrefix === undefined) return yield* NotFound.answer
  const open = (name: string, range: ByteRange | undefined) => previews.openIn(preview, { name, range })
  return {
    title: declaration.git.repo ?? "Preview",
    entry: declaration.entry,
    archives: declaration.recordings.flatMap(({ name }, index) =>
      /\.har$/i.test(name) ? [{ index, name, open: open(recordingObject(index), undefined) }] : []
    ),
    validator: (path) => validatorOf(hostedPrefix + previewObject(declaration, path)),
    open: ({ path, range }) => {
      const name = previewObject(declaration, path)
      return name === undefined ? Effect.fail(NotFound.answer) : open(name, range)
    }
  } satisfies Hosted
})
