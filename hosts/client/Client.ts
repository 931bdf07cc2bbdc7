/** The client: what each method takes and answers, its options, and what is uploaded. */
import type {
  Build,
  BuildReservation,
  CreatedShareLink,
  Preview,
  PreviewList,
  PreviewReservation,
  ShareLinkList,
  Slot,
  SourceImports,
  SourceSummary,
  TestHistory,
  TestList,
  TestRun,
  TestRunList,
  Usage
} from "./responses.ts"
import type { Body } from "./bodies.ts"
import type {
  AnnounceImport,
  BuildIdentity,
  BundleDetails,
  CiDetails,
  CreateShareLink,
  LatestBuild,
  ListPreviews,
  ListShareLinks,
  ListTestRuns,
  ListTests,
  PreviewDetails,
  ReadSource,
  ReadTest,
  Recording,
  RegisterTestRun,
  ReserveBuild,
  ReservePreview
} from "./requests.ts"

/** The share links of a build, preview or test run, which `id` names. */
export interface Shares {
  /**
   * Creates a read-only link that opens it without a key. The `url` is returned only once. Not retried when the link
   * may have been created.
   */
  readonly share: (id: string, life?: CreateShareLink, options?: CallOptions) => Promise<CreatedShareLink>
  /** Up to 100 of its links, newest first. */
  readonly listShares: (id: string, page?: ListShareLinks, options?: CallOptions) => Promise<ShareLinkList>
  /** Ends a link at once, by the link's `id`. */
  readonly revokeShare: (id: string, link: string, options?: CallOptions) => Promise<void>
}

/**
 * A client of the interface. Every method rejects with a `SlipwayError`, whose `code` says why, or with the reason of
 * its signal. Transient failures, such as a lost connection or a 503, are retried, and no request is carried out twice.
 */
export interface Client {
  /** @see docs/interface.md#4.1, #4.3–4.5 */
  readonly builds: Shares & {
    /** Uploads a build whole: reserves, PUTs its bodies and finalizes. Answers it ready. */
    readonly upload: (build: BuildUpload, options?: UploadOptions) => Promise<Build>
    /** Reserves the slots of a build, to send its bytes in another way. */
    readonly reserve: (build: ReserveBuild, options?: OnceOptions) => Promise<BuildReservation>
    /** Makes a build ready whose slots are all PUT. A repeated call returns the same. */
    readonly finalize: (token: string, options?: CallOptions) => Promise<Build>
    /** The latest build of a branch. */
    readonly latest: (query: LatestBuild, options?: CallOptions) => Promise<Build>
    /** A build by its id. */
    readonly read: (id: string, options?: CallOptions) => Promise<Build>
    /** Deletes a build permanently, and ends its share links. Rejects with `not_found` for an unknown or deleted one. */
    readonly delete: (id: string, options?: CallOptions) => Promise<void>
  }
  /** @see docs/interface.md#4.6–4.8 */
  readonly previews: Shares & {
    /** Uploads a preview whole: reserves, PUTs its bodies and finalizes. Answers it hosted. */
    readonly upload: (preview: PreviewUpload, options?: UploadOptions) => Promise<Preview>
    /** Reserves the slots of a preview, to send its bytes in another way. */
    readonly reserve: (preview: ReservePreview, options?: OnceOptions) => Promise<PreviewReservation>
    /** Hosts a preview whose slots are all PUT. A repeated call returns the same. */
    readonly finalize: (token: string, options?: CallOptions) => Promise<Preview>
    /** A preview by its `shareId`. */
    readonly read: (shareId: string, options?: CallOptions) => Promise<Preview>
    /** The previews of a repository that are ready, newest first, without those of test runs. */
    readonly list: (query: ListPreviews, options?: CallOptions) => Promise<PreviewList>
    /** Deletes a preview permanently, and ends its share links; its test runs stay. Rejects as `builds.delete` does. */
    readonly delete: (shareId: string, options?: CallOptions) => Promise<void>
  }
  /** @see docs/interface.md#4.9, #4.10 */
  readonly testRuns: Shares & {
    /** Registers a run of a preview that is hosted. */
    readonly register: (run: RegisterTestRun, options?: OnceOptions) => Promise<TestRun>
    /** The runs of a repository, newest first. */
    readonly list: (query: ListTestRuns, options?: CallOptions) => Promise<TestRunList>
    /** A run by its id: an extension of the interface. */
    readonly read: (id: string, options?: CallOptions) => Promise<TestRun>
    /** Deletes a run permanently, and ends its share links; its preview stays. Rejects as `builds.delete` does. */
    readonly delete: (id: string, options?: CallOptions) => Promise<void>
  }
  /** The histories of tests: extensions of the interface. @see docs/history.md */
  readonly tests: {
    /** The tests of a repository, those that ran last first. */
    readonly list: (query: ListTests, options?: CallOptions) => Promise<TestList>
    /** A test with its last 100 results, by its id. */
    readonly read: (id: string, query?: ReadTest, options?: CallOptions) => Promise<TestHistory>
  }
  /** CI runs, each by the `source` of its runs: an extension of the interface. @see docs/history.md */
  readonly sources: {
    /** Which failures of a CI run are new, compared with a base branch. */
    readonly read: (source: string, query: ReadSource, options?: CallOptions) => Promise<SourceSummary>
    /** Opens an import before its first run, or closes it: until then, the CI run is incomplete. */
    readonly announceImport: (
      source: string,
      announced: AnnounceImport,
      options?: CallOptions
    ) => Promise<SourceImports>
  }
  /** What the account of the key uses of its quotas. */
  readonly usage: (options?: CallOptions) => Promise<Usage>
  /** PUTs a body to a slot: exactly the bytes that were declared. @see docs/interface.md#4.2 */
  readonly put: (
    slot: Pick<Slot, "putUrl" | "contentType" | "sizeBytes">,
    body: Body,
    options?: CallOptions
  ) => Promise<void>
}

// The options of the client and its methods.

/** How long an attempt may take, in milliseconds. */
export interface Timeouts {
  /** A request and its answer: 30 seconds by default. */
  readonly request?: number
  /** A finalize, in which the service verifies all that was uploaded: 10 minutes by default. */
  readonly finalize?: number
  /**
   * An idle PUT: a minute by default. With `fetch`, which reports no progress, plus the time for its bytes at 16 kB/s.
   */
  readonly idle?: number
}

/** The service, the credential and the transport. */
export interface ClientOptions {
  /** The base URL of the service. */
  readonly url: string
  /**
   * An API key or a token, or a function that returns one, which each call of the client calls. Leave it out where `credentials` bring
   * cookies that the service's own `authenticate` accepts.
   */
  readonly key?: string | (() => string | Promise<string>)
  /** Whether requests of the API send cookies, in browsers: `omit` by default. PUTs of bodies never do. */
  readonly credentials?: "omit" | "same-origin" | "include"
  /**
   * Sends every request, PUTs too, in place of the platform's own: with a proxy, or in a test. On Node, PUTs go by
   * `node:http` unless it is given.
   */
  readonly fetch?: typeof globalThis.fetch
  /** How often a request is retried: 4 times by default. */
  readonly retries?: number
  readonly timeouts?: Timeouts
}

/** Of any call. */
export interface CallOptions {
  /** Ends the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Of a call that is carried out once, however often it is sent. */
export interface OnceOptions extends CallOptions {
  /** The same request with the same key gets the same answer for 24 hours. Each call generates its own by default. */
  readonly idempotencyKey?: string
}

/** How far an upload has come. Bytes that are sent again count again, so `sentBytes` may decrease. */
export interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
  readonly sentObjects: number
  /** The bundle, and all files and recordings. */
  readonly totalObjects: number
}

/** Of an upload. */
export interface UploadOptions extends CallOptions {
  /** Called as bytes are sent; by `fetch`, in browsers, when a body is sent whole. */
  readonly onProgress?: (progress: Progress) => void
  /** How many bodies are read or sent at a time: 8 by default. */
  readonly concurrency?: number
}

// The input of `upload`: that of a reservation, with bodies instead of sizes and digests.

/** Something to upload. */
export interface Content {
  readonly body: Body
  /** A MIME type such as `text/javascript`. */
  readonly contentType: string
  /** Required for a stream, because the size is declared before it is read. */
  readonly sizeBytes?: number
  /**
   * The SHA-256 of the uncompressed bytes, 64 lower-case hexadecimal digits, which the service verifies. Needed of a
   * bundle that is a stream; else the client computes it: on Node for all that can be read twice, in browsers for
   * bundles and bytes.
   */
  readonly contentHash?: string
}

/** A file beside the bundle. */
export interface FileContent extends Content {
  /** What the file is called there: a relative path with `/` between its segments. */
  readonly path: string
}

/** A recording beside the bundle of a preview. */
export interface RecordingContent extends Content, Omit<Recording, keyof Content> {}

/** A build to upload. */
export interface BuildUpload extends BuildIdentity, BundleDetails, CiDetails {
  readonly bundle: Content
  readonly files?: ReadonlyArray<FileContent>
}

/** A preview to upload. */
export interface PreviewUpload extends PreviewDetails {
  readonly bundle: Content
  readonly files?: ReadonlyArray<FileContent>
  readonly recordings?: ReadonlyArray<RecordingContent>
}
