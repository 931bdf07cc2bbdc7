import type { Bindings } from "../../config/Config.ts"
import type { Path } from "./follow.ts"
import { listen, type Listen } from "./http.ts"

/** The scopes of a key. @see docs/interface.md#5 */
export type Scope = "builds" | "preview_upload" | "test_runs"

export interface Repository {
  readonly owner: string
  readonly repo: string
}

/** One account of a host, and what a run of checks needs of it. */
export interface FairAccount {
  readonly name: string
  readonly keys: {
    readonly all: string
    readonly builds: string
    readonly previewUpload: string
    readonly testRuns: string
    readonly withoutBuilds: string
    readonly withoutPreviewUpload: string
    readonly withoutTestRuns: string
  }
  readonly linked: Repository
  /** Linked to it as well. */
  readonly second: Repository
  /** Linked to no account. */
  readonly unlinked: Repository
}

/** The places of the slots in the answer to a reservation. `{path}` and `{name}` are those of the file or recording. */
export interface SlotPaths {
  readonly bundle: Path
  readonly file: Path
}

/** The places of values in the host's answers. A path starts at the whole body unless its comment names another start. */
export interface Answers {
  readonly reserveBuild: SlotPaths & { readonly token: Path; readonly url: Path }
  readonly build: {
    /** The object that has `url` and `previewUrl`, in what finalize and both reads answer. */
    readonly row: Path
    /** The id to read by; where only a part of that text is the id, `pattern` captures it. */
    readonly id: { readonly path: Path; readonly pattern?: string }
    readonly status: Path
  }
  readonly reservePreview: SlotPaths & { readonly recording: Path; readonly shareId: Path; readonly token: Path }
  readonly finalizePreview: { readonly url: Path }
  readonly preview: { readonly account: Path }
  readonly runs: {
    readonly items: Path
    /** Within an item: the name that was registered, and what says that the run passed. */
    readonly name: Path
    readonly status: Path
    readonly passed: unknown
    /** How to get the next page: a cursor that is sent back as `parameter`, a link that is followed, or no next page. */
    readonly next?: { readonly cursor: Path; readonly parameter: string } | { readonly link: Path }
  }
}

/** The URL of the uploaded bundle. `{url}` and `{previewUrl}` are those of the row or the metadata. */
export interface HostedBundle {
  readonly url: string
  /** Whether it needs the key. */
  readonly withKey: boolean
}

/** Everything that a client must know of a host because the interface leaves it open. */
export interface Facts {
  /** How a key is presented, as in a config of the suite. @see docs/interface.md#5 */
  readonly key: Bindings["key"]
  /** The bodies that the interface doesn't show, as in a config of the suite. */
  readonly bodies: Omit<Bindings["bodies"], "buildReserve">
  readonly answers: Answers
  readonly hosted: { readonly build: HostedBundle; readonly preview: HostedBundle }
  /** How long a read may lag behind a write that was answered, in milliseconds. */
  readonly consistencyWindowMs: number
}

/** How long a reservation's token and a PUT URL can be used, in milliseconds. */
export interface Lives {
  readonly tokenMs: number
  readonly putUrlMs: number
}

/** A running host of the interface, and all that a run of checks against it needs to know. */
export interface FairHost {
  readonly name: string
  /** The interface's `{base_url}`. */
  readonly url: string
  /** The hosted viewer host: what the links of builds, previews and runs begin with. */
  readonly viewerUrl: string
  readonly accounts: { readonly a: FairAccount; readonly b: FairAccount }
  readonly facts: Facts
  readonly lives: Lives
  readonly stop: () => Promise<void>
}

/** A clock that a test may set, how long tokens and URLs live, and where the host listens. */
export interface FairOptions {
  /** Milliseconds since the epoch; the machine's clock unless a test brings its own. */
  readonly now?: () => number
  /** Ten minutes each by default. */
  readonly lives?: Partial<Lives>
  /** Free ports of this machine by default. */
  readonly listen?: Listen
}

/** Starts a host on free ports of this machine, with everything in memory. */
export type Start = (options?: FairOptions) => Promise<FairHost>

/** The options with their defaults. */
export const settle = ({ listen: listening = listen, lives, now = Date.now }: FairOptions) => ({
  listen: listening,
  now,
  lives: { tokenMs: 600_000, putUrlMs: 600_000, ...lives } satisfies Lives
})
