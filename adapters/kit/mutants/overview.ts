import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type BuildView } from "../../../core/model/Build.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import { OverviewStore } from "../../../core/ports/OverviewStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { testIdOf } from "../../../core/rules/testHistory.ts"
import { compareRuns } from "../../../core/rules/testRuns.ts"
import { layerMetadata } from "../../memory/index.ts"
import { keyOf } from "../parts/buildPorts.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

type Store = OverviewStore["Service"]

/** The first of each group. `name` tells the groups apart. */
const firstOfEach = (views: ReadonlyArray<BuildView>, nameOf: (view: BuildView) => string) => {
  const names = views.map(nameOf)
  return views.filter((view, index) => names.indexOf(nameOf(view)) === index)
}

const cut = (run: TestRun): TestRun => (run.name === undefined ? run : { ...run, name: run.name.slice(0, 256) })

const label = ({ name, prompt }: TestRun): string => name ?? prompt ?? ""

/** Alters how the neighbours of a run are found among the account's similar runs. */
const neighboursAmong = (isAlike: (run: TestRun, own: TestRun) => boolean) =>
  altered(OverviewStore, (store) => ({
    neighbours: Effect.fnUntraced(function* (account, id) {
      const all = yield* store.runs(account, Infinity)
      const own = all.find(({ run }) => run.id === id)?.run
      const alike = all.filter(({ run }) => own !== undefined && (run === own || isAlike(run, own)))
      const at = alike.findIndex(({ run }) => run.id === id)
      return {
        previous: at < 0 ? Option.none() : Option.fromUndefinedOr(alike[at + 1]),
        next: Option.fromUndefinedOr(alike[at - 1])
      }
    })
  }))

export const overviewMutants: MetadataFaults = {
  "branches: the last build of each branch and platform, newest first, with the upload that it shows": {
    "answers one build of a branch, whichever its platform": altered(OverviewStore, (store) => ({
      branches: (query) => Effect.map(store.branches(query), (views) => firstOfEach(views, ({ build }) => build.branch))
    }))
  },
  "branches: of every repository that is linked to the account, or of the one that is named": {
    "forgets of which repository branches are asked": altered(OverviewStore, (store) => ({
      branches: ({ account, limit }) => store.branches({ account, limit })
    }))
  },
  "branches: gathered from a repository's last builds, and from no earlier ones": {
    "gathers branches from all builds that there are": Layer.flatMap(layerMetadata, (memory) => {
      const store = Context.get(memory, OverviewStore)
      const repositories = Context.get(memory, RepositoryStore)
      const branches: Store["branches"] = Effect.fnUntraced(function* ({ account, limit }) {
        const linked = yield* repositories.list(account)
        const all = yield* Effect.forEach(linked, (one) =>
          store.builds({ account, repository: keyOf(one), limit: Infinity })
        )
        return all
          .flatMap((views) => firstOfEach(views, ({ build }) => `${build.platform}/${build.branch}`))
          .slice(0, limit)
      })
      return Layer.succeedContext(Context.add(memory, OverviewStore, { ...store, branches }))
    })
  },
  "uploads: a build's reservations, the last first, and nothing of another account's": {
    "answers the oldest uploads of a build": altered(OverviewStore, (store) => ({
      uploads: (account, build, limit) =>
        Effect.map(store.uploads(account, build, Infinity), (all) => all.slice(-limit))
    }))
  },
  "runs: of every repository that is linked to the account, newest first, within the limit": {
    "orders the runs of one millisecond by the smallest id": altered(OverviewStore, (store) => ({
      runs: (account, limit) =>
        Effect.map(store.runs(account, Infinity), (views) =>
          views
            .toReversed()
            .toSorted((a, b) => DateTime.toEpochMillis(b.run.createdAt) - DateTime.toEpochMillis(a.run.createdAt))
            .slice(0, limit)
        )
    }))
  },
  "previews: those of a repository that are ready, newest first, after one, within the limit": {
    "answers previews of test runs": altered(OverviewStore, (store) => ({
      previews: (query) => store.previews({ ...query, isTestRun: undefined })
    }))
  },
  "runsOf: those that point at the preview, newest first, within the limit": {
    "answers all runs of a preview": altered(OverviewStore, (store) => ({
      runsOf: (account, preview) => store.runsOf(account, preview, Infinity)
    }))
  },
  "neighbours: the runs next to one of its test: same repository, kind, name or prompt, file and platform": {
    "compares the first 256 characters of names": neighboursAmong(
      (run, own) => testIdOf(cut(run)) === testIdOf(cut(own))
    ),
    "compares repositories and names alone": neighboursAmong(
      (run, own) => run.repositoryId === own.repositoryId && label(run) === label(own)
    )
  },
  "neighbours: ties go by id; nothing of what is another account's, unknown or not linked": {
    "skips a run's neighbours of its own millisecond": neighboursAmong(
      (run, own) => testIdOf(run) === testIdOf(own) && compareRuns({ ...run, id: own.id }, own) !== 0
    )
  },
  "billedSince: the account's billed previews, of that very instant or finalized later": {
    "leaves out previews that were billed at the very instant": altered(OverviewStore, (store) => ({
      billedSince: (account, from) => store.billedSince(account, DateTime.add(from, { milliseconds: 1 }))
    }))
  }
}
