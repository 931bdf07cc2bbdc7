import { DateTime, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { QuarantineOwner, QuarantineReason } from "../../../core/model/Quarantine.ts"
import { TestId, type TestHistory } from "../../../core/model/TestHistory.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { passesToRecover, quarantineDays } from "../../../core/rules/quarantine.ts"
import { Quarantines, type ListedQuarantine } from "../../../core/service/Quarantines.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import { goTo, paths } from "../access/site.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { fromOwnPage, withSmallForm } from "../session/forms.ts"
import { html, type Html, timeHtml } from "../ui/html.ts"
import { card } from "../ui/lists.ts"
import { messagePage, type PageContext } from "../ui/layout.ts"
import { counted } from "../ui/words.ts"

/** What the card of a quarantine shows. */
interface QuarantineFacts {
  readonly test: TestHistory
  readonly quarantine: Option.Option<ListedQuarantine>
  /** Whether the caller may quarantine tests. */
  readonly mayQuarantine: boolean
  readonly now: DateTime.Utc
}

const Form = Schema.Struct({
  reason: QuarantineReason,
  owner: Schema.Union([QuarantineOwner, Schema.Literal("")]),
  days: Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: quarantineDays.maximum }))
})

const testInPath = Effect.map(idInPath, (id) => TestId.make(id))

const add = forAccount(
  ["test_runs", "quarantine"],
  Effect.fnUntraced(function* (caller, context) {
    const id = yield* testInPath
    const { repository, test } = yield* (yield* TestHistories).find(caller, id)
    const form = yield* Effect.result(HttpServerRequest.schemaBodyUrlParams(Form))
    const added =
      form._tag === "Failure"
        ? undefined
        : yield* (yield* Quarantines)
            .add(caller, {
              owner: repository.owner,
              repo: repository.repo,
              test: {
                kind: test.kind,
                ...withoutUndefined({
                  name: test.name,
                  prompt: test.prompt,
                  file: test.file,
                  platform: test.platform,
                  app: test.app
                })
              },
              reason: form.success.reason,
              fixer: form.success.owner || undefined,
              until: { days: form.success.days }
            })
            .pipe(Effect.catchTag("InvalidRequest", () => Effect.undefined))
    return added === undefined
      ? messagePage(context, {
          status: 400,
          title: "The test is not quarantined",
          text: `Give a reason of at most 500 characters, an owner of at most 100, and 1 to ${quarantineDays.maximum} days. A repository has at most 1,000 quarantines.`,
          link: { to: paths.testOnDefault(id), label: "Back to the test" }
        })
      : goTo(context.site, paths.testOnDefault(id))
  })
)

const remove = forAccount(
  ["test_runs", "quarantine"],
  Effect.fnUntraced(function* (caller, { site }) {
    const id = yield* testInPath
    yield* (yield* Quarantines).remove(caller, id)
    return goTo(site, paths.testOnDefault(id))
  })
)

/** The forms that quarantine a test, and end its quarantine. */
export const routes = [
  HttpRouter.route("POST", paths.quarantine(":id"), fromOwnPage(withSmallForm(add))),
  HttpRouter.route("POST", `${paths.quarantine(":id")}/remove`, fromOwnPage(withSmallForm(remove)))
]

const form = ({ site }: PageContext, { test }: QuarantineFacts): Html =>
  html`<form method="post" action="${site.base + paths.quarantine(test.testId)}" class="filters">
    <label>Reason <input name="reason" required maxlength="500" /></label>
    <label>Owner <input name="owner" maxlength="100" placeholder="who fixes it" /></label>
    <label>
      Days
      <input
        name="days"
        type="number"
        min="1"
        max="${quarantineDays.maximum}"
        value="${quarantineDays.default}"
        required
      />
    </label>
    <button>Quarantine</button>
  </form>`

const inForce = (context: PageContext, facts: QuarantineFacts, listed: ListedQuarantine): Html => {
  const { expiresAt, owner, reason } = listed.quarantine
  const hasEnded = DateTime.isGreaterThanOrEqualTo(facts.now, expiresAt)
  return html`<p><bdi>${reason}</bdi></p>
    <p class="type">
      ${owner === undefined ? "" : html`Owner: <bdi>${owner}</bdi> · `}
      ${hasEnded ? html`The quarantine ended ${timeHtml(expiresAt)}.` : html`Until ${timeHtml(expiresAt)}.`}
      ${
        listed.passesInARow === 0
          ? ""
          : `It passed ${counted(listed.passesInARow, "time")} in a row on the default branch since.`
      }
    </p>
    ${
      listed.passesInARow < passesToRecover || hasEnded
        ? ""
        : html`<p><strong>The quarantine is probably not needed any more.</strong></p>`
    }
    ${hasEnded ? "" : html`<p>Failures are registered and shown as quarantined. They are left out of conclusions.</p>`}
    ${
      !facts.mayQuarantine
        ? ""
        : hasEnded
          ? form(context, facts)
          : html`<form method="post" action="${context.site.base + paths.quarantine(facts.test.testId)}/remove">
              <button class="quiet">End the quarantine</button>
            </form>`
    }`
}

/** The quarantine of a test, or the form for one: open only if the test is flaky or intermittent. */
export const quarantineCard = (context: PageContext, facts: QuarantineFacts): Html | "" => {
  const listed = Option.getOrUndefined(facts.quarantine)
  if (listed !== undefined) return card("quarantine", "Quarantine", inForce(context, facts, listed))
  if (!facts.mayQuarantine) return ""
  const { flakyRuns, intermittentRuns = 0 } = facts.test.summary
  return card(
    "quarantine",
    "Quarantine",
    flakyRuns + intermittentRuns > 0
      ? html`<p>This test is flaky. In quarantine, its failures are left out of conclusions until it is fixed.</p>
          ${form(context, facts)}`
      : html`<details>
          <summary>Quarantine this test</summary>
          ${form(context, facts)}
        </details>`
  )
}
