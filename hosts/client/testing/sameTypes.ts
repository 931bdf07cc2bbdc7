/**
 * Holds the types of the client, which are without Effect, to the schemas of the server: each pair is equal, field
 * by field and in both directions, or `npm run check` fails here.
 */
import type { BuildRow, ReserveBuildRequest, ReserveBuildResponse } from "../../../core/api/builds.ts"
import type {
  PreviewList,
  PreviewMetadata,
  ReservePreviewRequest,
  ReservePreviewResponse
} from "../../../core/api/previews.ts"
import type {
  CreateShareLinkRequest,
  CreateShareLinkResponse,
  ShareLinkList,
  ShareLinkRecord
} from "../../../core/api/shareLinks.ts"
import type {
  listTestRunsQuery,
  RegisterTestRunRequest,
  TestRunList,
  TestRunRecord
} from "../../../core/api/testRuns.ts"
import type {
  AnnounceImportRequest,
  ImportsRecord,
  listTestsQuery,
  readSourceQuery,
  readTestQuery,
  SourceRecord,
  TestHistoryRecord,
  TestList
} from "../../../core/api/tests.ts"
import type { UsageResponse } from "../../../core/api/usage.ts"
import type { HttpProblem } from "../../http/HttpProblem.ts"
import type { RequestTimeout } from "../../node/httpServer.ts"
import type { Schema } from "effect"
import type * as answers from "../responses.ts"
import type { SlipwayClient } from "../effect/index.ts"
import type * as problems from "../problems.ts"
import type * as requests from "../requests.ts"

/** A type with what it is put together from written out, so that only its fields count, also those of a union. */
type Plain<A> = A extends object ? { [Field in keyof A]: Plain<A[Field]> } : A

/** Of two types that differ, an error shows first the fields to add to the client's type, and those to remove. */
type Equal<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2
    ? true
    : { clientLacks: Exclude<keyof B, keyof A>; onlyClientHas: Exclude<keyof A, keyof B>; client: A; server: B }

type Held<Pairs extends { readonly [Pair in keyof Pairs]: true }> = Pairs

type Latest = Parameters<SlipwayClient["Service"]["builds"]["latest"]>[0]

type Refusals = typeof HttpProblem.Encoded | typeof RequestTimeout.Encoded

/** Each type of the client beside its schema. */
export type SameTypes = Held<{
  reserveBuild: Equal<requests.ReserveBuild, Omit<typeof ReserveBuildRequest.Encoded, "operation">>
  reservePreview: Equal<requests.ReservePreview, typeof ReservePreviewRequest.Encoded>
  latestBuild: Equal<requests.LatestBuild, Latest>
  registerTestRun: Equal<requests.RegisterTestRun, typeof RegisterTestRunRequest.Encoded>
  listPreviews: Equal<requests.ListPreviews, Parameters<SlipwayClient["Service"]["previews"]["list"]>[0]>
  listTestRuns: Equal<requests.ListTestRuns, Schema.Struct.Type<typeof listTestRunsQuery>>
  listTests: Equal<requests.ListTests, Omit<Schema.Struct.Type<typeof listTestsQuery>, "format">>
  readTest: Equal<requests.ReadTest, Schema.Struct.Type<typeof readTestQuery>>
  readSource: Equal<requests.ReadSource, Schema.Struct.Type<typeof readSourceQuery>>
  announceImport: Equal<requests.AnnounceImport, typeof AnnounceImportRequest.Encoded>
  createShareLink: Equal<requests.CreateShareLink, typeof CreateShareLinkRequest.Encoded>
  buildReservation: Equal<answers.BuildReservation, typeof ReserveBuildResponse.Encoded>
  build: Equal<answers.Build, typeof BuildRow.Encoded>
  previewReservation: Equal<answers.PreviewReservation, typeof ReservePreviewResponse.Encoded>
  preview: Equal<answers.Preview, typeof PreviewMetadata.Encoded>
  previewList: Equal<answers.PreviewList, typeof PreviewList.Encoded>
  testRun: Equal<answers.TestRun, typeof TestRunRecord.Encoded>
  testRunList: Equal<answers.TestRunList, typeof TestRunList.Encoded>
  testList: Equal<answers.TestList, typeof TestList.Encoded>
  testHistory: Equal<answers.TestHistory, typeof TestHistoryRecord.Encoded>
  source: Equal<answers.SourceSummary, typeof SourceRecord.Encoded>
  sourceImports: Equal<answers.SourceImports, typeof ImportsRecord.Encoded>
  createdShareLink: Equal<answers.CreatedShareLink, typeof CreateShareLinkResponse.Encoded>
  shareLink: Equal<answers.ShareLink, typeof ShareLinkRecord.Encoded>
  shareLinkList: Equal<answers.ShareLinkList, typeof ShareLinkList.Encoded>
  usage: Equal<answers.Usage, typeof UsageResponse.Encoded>
  problem: Equal<problems.Problem, Refusals>
}>

type Pages<A> = { readonly shares: ReadonlyArray<A>; readonly nextCursor?: string }

/** What is not the same is seen: a field that one side has alone, and one that it need not have. */
export type OtherTypes = [
  // @ts-expect-error
  Held<{ more: Equal<answers.ShareLink & { readonly more: string }, typeof ShareLinkRecord.Encoded> }>,
  // @ts-expect-error
  Held<{ fewer: Equal<Omit<answers.ShareLink, "id">, typeof ShareLinkRecord.Encoded> }>,
  // @ts-expect-error
  Held<{ optional: Equal<Partial<answers.ShareLink>, typeof ShareLinkRecord.Encoded> }>,
  // @ts-expect-error
  Held<{ nested: Equal<Pages<Omit<answers.ShareLink, "id">>, typeof ShareLinkList.Encoded> }>,
  // @ts-expect-error
  Held<{ union: Equal<Exclude<problems.Problem, problems.RateLimited>, Refusals> }>
]
