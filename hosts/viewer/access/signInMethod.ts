import { Context } from "effect"
import type { HttpRouter } from "effect/http"
import type { Problem } from "../../../core/model/Problem.ts"
import type { Path } from "./paths.ts"

/** Another way to sign in, which the sign-in page offers beside keys: a link, and the routes that begin a session. */
export interface SignInMethod<Needs> {
  /** The name of the identity provider, for the link. */
  readonly name: string
  /** Where the link leads; `to` is added to it, the path to open afterwards. */
  readonly path: Path
  readonly routes: ReadonlyArray<HttpRouter.Route<Problem, Needs | HttpRouter.Provided>>
}

/** The link of the other way to sign in, where there is one. */
export const OtherSignIn = Context.Reference<Pick<SignInMethod<never>, "name" | "path"> | undefined>(
  "slipway/hosts/viewer/OtherSignIn",
  { defaultValue: () => undefined }
)
