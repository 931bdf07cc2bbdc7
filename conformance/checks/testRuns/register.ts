import type { Fields } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { CheckTable } from "../steps/Check.ts"
import { b, needsTwoRepositories, unlinkedRepositories } from "../steps/accounts.ts"
import { mustAnswer, refuses } from "../steps/answers.ts"
import { bundleSizeBytes, commitSha, ownFile } from "../steps/inputs.ts"
import { hostedPreview, reservePreview, shareIdOf } from "../steps/previews.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { mustListAll, mustNotBeStored, registerRun, runName, sendRun, storedRuns } from "../steps/runs.ts"

const bytes = bundleSizeBytes

/** A registration with these fields must be refused. `text` completes "A registration …". */
const refused = (id: string, text: string, fields: Fields): CheckTable => ({
  [id]: {
    title: `A registration ${text} is refused.`,
    cost: { requests: 4, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* refuses(sendRun("first", shareId, fields), `A registration ${text}`, id)
    }
  }
})

/** Valid integers that are easily mistaken for missing values. */
const zeros: Readonly<Record<string, Fields>> = {
  "a stepCount and a durationMs of 0": { stepCount: 0, durationMs: 0 },
  "a failedStepIndex of 0": { status: "failed", failureMessage: "It wasn't there", stepCount: 3, failedStepIndex: 0 }
}

/** A check of the links that a registration answers, which the step requires of every registration. */
const links = (id: string, title: string): CheckTable => ({
  [id]: {
    title,
    cost: { requests: 4, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId)
    }
  }
})

/** What a registration accepts, and the links that it answers. */
export const registerChecks: CheckTable = {
  "runs.register.stored": {
    title: "A registered test run is in the list of its repository and branch.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId)
      yield* storedRuns(["first"])
    }
  },
  "runs.register.every-field": {
    title: "A registration with every field of the table in its format is accepted, the failure fields included.",
    cost: { requests: 4, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId, {
        kind: "maestro",
        prompt: "Buy the first item, then pay",
        status: "failed",
        commitSha: yield* commitSha("run"),
        stepCount: 12,
        durationMs: 34_567,
        failureMessage: "Element not found: pay",
        failedStepIndex: 7
      })
    }
  },
  "runs.register.zeros": {
    title: "A registration whose stepCount, durationMs or failedStepIndex is 0 is accepted.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      for (const [label, fields] of Object.entries(zeros)) {
        yield* mustAnswer(yield* sendRun(label, shareId, fields), `A registration with ${label}`)
      }
    }
  },
  "runs.register.without-failure-fields": {
    title: "A failed run is accepted without `failureMessage` and `failedStepIndex`.",
    cost: { requests: 4, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("first", shareId, { status: "failed" })
    }
  },
  "runs.kind.known": {
    title: "A Maestro run and a Detox run are accepted.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("maestro", shareId, { kind: "maestro" })
      yield* registerRun("detox", shareId, { kind: "detox" })
    }
  },
  ...refused("runs.kind.required", "without a kind", { kind: undefined }),
  ...refused("runs.kind.other", "of a kind that is neither `maestro` nor `detox`", { kind: "espresso" }),
  "runs.name.either": {
    title: "A run is accepted with a name, with a prompt, and with both, and each is listed.",
    cost: { requests: 7, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      yield* registerRun("named", shareId)
      yield* registerRun("prompted", shareId, { name: undefined, prompt: yield* runName("prompted") })
      yield* registerRun("both", shareId, { prompt: "Buy the first item, then pay" })
      yield* mustListAll(3)
    }
  },
  ...refused("runs.name.neither", "with neither name nor prompt", { name: undefined })
}

/** The links that a registration answers. */
export const linkChecks: CheckTable = {
  ...links("runs.register.preview-url", "A registration returns `previewUrl`, an absolute URL."),
  ...links("runs.register.trace-url", "A registration returns `traceUrl`, an absolute URL."),
  ...links(
    "runs.register.viewer-host",
    "The `previewUrl` and the `traceUrl` of a run are on one host, the hosted viewer's."
  )
}

/** Which previews and repositories a registration may name. */
export const namedChecks: CheckTable = {
  "runs.register.foreign-preview": {
    title: "A registration that names another account's preview is refused, and no run is stored.",
    cost: { requests: 10, bytes },
    *run() {
      const { config } = yield* Session
      yield* needsTwoRepositories
      const { shareId } = yield* hostedPreview("preview", { account: "b" })
      const what = "A registration that names another account's preview"
      const { owner, repo } = config.accounts.b.linked
      // Before that account has registered a run, and after.
      for (const label of ["before", "after"]) {
        if (label === "after") yield* registerRun("own", shareId, {}, b)
        yield* refuses(sendRun(label, shareId), what, "runs.register.foreign-preview")
        yield* mustNotBeStored(label, what)
        yield* mustNotBeStored(label, what, { org: owner, repo }, b)
      }
    }
  },
  "runs.register.unknown-preview": {
    title: "A registration that names a preview which doesn't exist is refused, and no run is stored.",
    cost: { requests: 2, bytes: 0 },
    *run() {
      const { unique } = yield* Session
      const what = "A registration that names a preview which doesn't exist"
      yield* refuses(sendRun("first", unique("preview")), what, "runs.register.unknown-preview")
      yield* mustNotBeStored("first", what)
    }
  },
  "runs.register.not-uploaded": {
    title:
      "A registration that names a preview of which nothing or a part was uploaded is refused, and no run is stored.",
    cost: { requests: 7, bytes },
    *run() {
      for (const label of ["nothing", "a part"]) {
        const { reserved } = yield* reservePreview(label, { files: [yield* ownFile(label)] })
        if (label === "a part") yield* uploadAll({ ...reserved, slots: reserved.slots.slice(0, 1) })
        const what = `A registration that names a preview of which ${label} was uploaded`
        yield* refuses(sendRun(label, yield* shareIdOf(reserved)), what, "runs.register.not-uploaded")
        yield* mustNotBeStored(label, what)
      }
    }
  },
  "runs.register.unlinked-repository": {
    title: "A registration for a repository that is not linked to the account is refused.",
    cost: { requests: 5, bytes },
    *run() {
      const { shareId } = yield* hostedPreview("preview")
      const what = "A registration for a repository that is not linked"
      for (const repository of yield* unlinkedRepositories) {
        yield* refuses(sendRun("first", shareId, repository), what, "runs.register.unlinked-repository")
      }
    }
  },
  "runs.register.foreign-repository": {
    title: "A registration for another account's repository is refused, and that account's list is without the run.",
    cost: { requests: 5, bytes },
    *run() {
      yield* needsTwoRepositories
      const { config } = yield* Session
      const { shareId } = yield* hostedPreview("preview")
      const { owner, repo } = config.accounts.b.linked
      const what = "A registration for another account's repository"
      yield* refuses(sendRun("first", shareId, { owner, repo }), what, "runs.register.foreign-repository")
      yield* mustNotBeStored("first", what, { org: owner, repo }, b)
    }
  }
}
