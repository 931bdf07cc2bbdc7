import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import { branchMenu } from "../ui/branchMenu.ts"
import type { Html } from "../ui/html.ts"
import { tabPath, type Asked } from "./asked.ts"

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
