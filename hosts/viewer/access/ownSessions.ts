/** Ways to sign in other than the viewer's keys: the sessions of an embedder, and a sign-in method of the host. */
import { Context, Schema } from "effect"
import type { HttpRouter } from "effect/http"
import type { ExternalIdentity } from "../../../core/model/ApiKey.ts"
import type { Problem } from "../../../core/model/Problem.ts"
import { externalIdentityFields } from "../../http/authenticate.ts"
import type { Path } from "./site.ts"

/** Somebody who is signed in by the embedder's own means. */
export interface Person extends ExternalIdentity {
  /** Names this sign-in to `isOn`, and is no secret: it stands readable in URLs of what the person opens. */
  readonly session: string
}

/**
 * Sign-in to the pages by the embedder, instead of API keys and the viewer's sessions. A function that throws, or
 * answers something else, admits nobody: the page says that it is out of reach, and the log says why.
 */
export interface OwnSessions {
  /** Who sends the request, asked with every page; `undefined` is nobody. It gets the request that was given to `fetch`. */
  readonly who: (request: Request) => Person | undefined | Promise<Person | undefined>
  /**
   * Whether that sign-in is still valid. Uploaded code and media are loaded without cookies from URLs that last an hour at most:
   * with each of those requests this is asked, so they end with the sign-in.
   */
  readonly isOn: (session: string) => boolean | Promise<boolean>
  /** The URL to lead people to who aren't signed in. `to` is the whole URL of the page that they asked for. */
  readonly signIn: (to: string) => string
  /** Answers the button "Sign out", for example with a redirect that removes a cookie. Other sites' forms don't reach it. */
  readonly signOut: (request: Request) => Response | Promise<Response>
}

/** The embedder's {@link OwnSessions}; without them people sign in with a key. */
export const OwnSessions = Context.Reference<OwnSessions | undefined>("slipway/hosts/viewer/OwnSessions", {
  defaultValue: () => undefined
})

/** What `who` answers. */
export const PersonResult = Schema.UndefinedOr(Schema.Struct({ ...externalIdentityFields, session: Schema.String }))

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
