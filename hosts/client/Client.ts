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
} from "./answers.ts"
import type { Body } from "./bodies.ts"
import type { BuildUpload, PreviewUpload } from "./contents.ts"
import type { CallOptions, OnceOptions, UploadOptions } from "./options.ts"
import type {
  AnnounceImport,
  CreateShareLink,
  LatestBuild,
  ListPreviews,
  ListShareLinks,
  ListTestRuns,
  ListTests,
  ReadSource,
  ReadTest,
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
