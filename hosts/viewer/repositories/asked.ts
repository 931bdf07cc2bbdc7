/** What the address of a repository's page asks for. */
import { Option, Schema, Struct } from "effect"
import { AppName, Platform } from "../../../core/model/Build.ts"
import { PullRequest } from "../../../core/model/Preview.ts"
import { TestRunKind, TestRunStatus } from "../../../core/model/TestRun.ts"
import { idPattern, Name } from "../../../core/model/Text.ts"
import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import { type AskedSpan, askedSpan, spanLinks } from "../ui/breaks.ts"
import { type CiRunOutcome, outcomes } from "../ui/charts.ts"
import { branchMenu } from "../ui/lists.ts"
import { html, type Html } from "../ui/html.ts"
import { type Format, formatIn } from "../ui/tableFile.ts"

/** The tabs of the page. */
export const tabs = {
  overview: "Overview",
  tests: "Tests",
  runs: "CI runs",
  builds: "Builds",
  previews: "Previews",
  settings: "Settings"
} as const
export type Tab = keyof typeof tabs

/** The tab, filters and positions. */
export interface Asked extends AskedSpan {
  readonly owner: string
  readonly repo: string
  readonly tab: Tab
  readonly branch: string | undefined
  readonly platform: Platform | undefined
  /** One of several apps of the repository. */
  readonly app: string | undefined
  readonly buildsAfter: string | undefined
  readonly previewsAfter: string | undefined
  readonly kind: TestRunKind | undefined
  readonly status: TestRunStatus | undefined
  readonly source: string | undefined
  readonly pr: number | undefined
  readonly runsAfter: string | undefined
  readonly ciRunsAfter: string | undefined
  /** Only CI runs that ended so, by this author, or of this pull request. */
  readonly ended: CiRunOutcome | undefined
  readonly author: string | undefined
  readonly ofPr: number | undefined
  /** Only tests with a flaky result. */
  readonly flaky: "yes" | undefined
  /** Only tests whose name, file, platform or app contains it. */
  readonly text: string | undefined
  /** Only tests whose last run has this tag, or ran on the device of this name. */
  readonly tag: string | undefined
  readonly device: string | undefined
  readonly testsAfter: string | undefined
  readonly sort: TestOrder | undefined
  /** The table of the tab as a file. */
  readonly format: Format | undefined
}

/** The columns by which tests are sorted, the largest or latest first; `name` is from A to Z. */
export const testOrders = ["name", "failed", "flaky", "p50", "last"] as const
export type TestOrder = (typeof testOrders)[number]

/** A value if it is one of these options, else `undefined`. */
const among = <A extends string>(choices: Schema.Literals<ReadonlyArray<A>>, value: string | null): A | undefined =>
  choices.literals.find((choice) => choice === value)

const pullRequest = Schema.decodeUnknownOption(PullRequest)
const isName = Schema.is(Name)
const isAppName = Schema.is(AppName)
const isTab = (name: string): name is Tab => Object.hasOwn(tabs, name)

/** The values of the page's forms and links. Invalid ones are ignored. Without a tab, it is that of the filters. */
export const askedBy = (url: string): Asked => {
  const query = new URL(url, "http://viewer").searchParams
  const text = (name: string) => {
    const value = query.get(name)
    return isName(value) ? value : undefined
  }
  const id = (name: string) => (idPattern.test(text(name) ?? "") ? text(name) : undefined)
  const app = text("app")
  const tab = query.get("tab") ?? ""
  const asksFor = (...names: ReadonlyArray<string>) => names.some((name) => query.has(name))
  return {
    owner: query.get("owner") ?? "",
    repo: query.get("repo") ?? "",
    tab: isTab(tab)
      ? tab
      : asksFor("kind", "status", "source", "pr", "runsAfter")
        ? "runs"
        : asksFor("platform", "buildsAfter")
          ? "builds"
          : "overview",
    branch: text("branch"),
    platform: among(Platform, query.get("platform")),
    app: isAppName(app) ? app : undefined,
    buildsAfter: id("buildsAfter"),
    previewsAfter: id("previewsAfter"),
    kind: among(TestRunKind, query.get("kind")),
    status: among(TestRunStatus, query.get("status")),
    source: text("source"),
    pr: Option.getOrUndefined(pullRequest(Number(query.get("pr") ?? ""))),
    runsAfter: text("runsAfter"),
    ciRunsAfter: text("ciRunsAfter"),
    ended: among(Schema.Literals(Struct.keys(outcomes)), query.get("ended")),
    author: text("author"),
    ofPr: Option.getOrUndefined(pullRequest(Number((query.get("ofPr") ?? "").replace("#", "")))),
    flaky: query.get("flaky") === "yes" ? "yes" : undefined,
    text: text("text"),
    tag: text("tag"),
    device: text("device"),
    testsAfter: text("testsAfter"),
    sort: among(Schema.Literals(testOrders), query.get("sort")),
    ...askedSpan(query),
    format: formatIn(url)
  }
}

/** The URL of this page with some parameters changed. */
export const pathWith = (base: string, asked: Asked, changes: Partial<Asked>): string => {
  const query = Object.entries({ ...asked, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]]
  )
  return `${base}/repositories?${new URLSearchParams(query)}`
}

/** The URL of a tab of this page with nothing asked but what is given. */
export const tabPath = (base: string, { owner, repo }: Asked, tab: Tab, branch?: string): string => {
  const more = { ...(tab === "overview" ? {} : { tab }), ...(branch === undefined ? {} : { branch }) }
  return `${base}/repositories?${new URLSearchParams({ owner, repo, ...more })}`
}

/** Links to other spans of time of a tab, with the same branch. */
export const tabSpans = (base: string, asked: Asked, first: string): Html => {
  const { branch, owner, repo, tab } = asked
  const hidden = { owner, repo, branch, tab: tab === "overview" ? undefined : tab }
  return spanLinks(asked, {
    action: `${base}/repositories`,
    first,
    hidden,
    pathOf: (span) => pathWith(base, asked, { ...span, testsAfter: undefined })
  })
}

// The form that filters the lists of a tab.

export const choice = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>>,
  chosen: string | undefined
): Html =>
  html`<label
    >${label}
    <select name="${name}">
      <option value="">Any</option>
      ${Object.entries(options).map(
        ([value, text]) => html`<option value="${value}" ${value === chosen ? "selected" : ""}>${text}</option>`
      )}
    </select></label
  >`

export const field = (name: string, label: string, value: string | number | undefined, more?: Html): Html =>
  html`<label
    >${label} <input name="${name}" value="${value ?? ""}" placeholder="Any" autocomplete="off" ${more}
  /></label>`

/** The fields of a tab in a form that keeps the branch. */
export const filterForm = (
  base: string,
  asked: Asked,
  { fields, isFiltered }: { readonly fields: ReadonlyArray<Html>; readonly isFiltered: boolean }
): Html =>
  html`<form class="filters" method="get" action="${base}/repositories" aria-label="Filters">
    <input type="hidden" name="owner" value="${asked.owner}" />
    <input type="hidden" name="repo" value="${asked.repo}" />
    <input type="hidden" name="tab" value="${asked.tab}" />
    ${asked.branch === undefined ? "" : html`<input type="hidden" name="branch" value="${asked.branch}" />`} ${fields}
    <div class="actions">
      <button>Filter</button>
      ${isFiltered ? html`<a href="${tabPath(base, asked, asked.tab)}">Show all</a>` : ""}
    </div>
  </form>`

/** A menu of links to the tab of each branch; `all` adds one of all branches. */
export const tabMenu = (
  base: string,
  asked: Asked,
  {
    branches,
    ...choice
  }: { readonly branches: ReadonlyArray<BranchOfRuns>; readonly shown: string | undefined; readonly all: boolean }
): Html =>
  branchMenu({
    ...choice,
    branches: branches.map(({ branch }) => branch),
    pathOf: (branch) => tabPath(base, asked, asked.tab, branch)
  })
