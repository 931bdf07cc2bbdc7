import { scaleLinear } from "d3-scale"
import type { CiRun } from "../../../../core/model/TestHistory.ts"
import type { Repository } from "../../../../core/model/Repository.ts"
import { DateTime } from "effect"
import { paths } from "../../access/paths.ts"
import { html, type Html } from "../html.ts"
import { durationText } from "../text.ts"
import { mark, outcomes, worstOf } from "./marks.ts"

/** How many CI runs a strip shows. */
export const stripLength = 30

const height = 56

const minute = (time: DateTime.Utc): string => DateTime.formatIso(time).slice(0, 16).replace("T", " ")

const textOf = ({ commitSha, durationMs, failed, flaky, passed, startedAt, ...rest }: CiRun): string =>
  [
    `${outcomes[worstOf({ failed, flaky, ...rest })]}:`,
    `${failed} failed, ${flaky} flaky, ${passed} passed;`,
    ...(commitSha === undefined ? [] : [`commit ${commitSha.slice(0, 7)},`]),
    ...(rest.pr === undefined ? [] : [`#${rest.pr},`]),
    `${durationText(durationMs)},`,
    `${minute(startedAt)} UTC`
  ].join(" ")

/** The last CI runs as bars, the newest at the right: the height is the duration of all tests, colour and mark are the result. */
export const strip = (
  base: string,
  repository: Pick<Repository, "owner" | "repo">,
  ciRuns: ReadonlyArray<CiRun>
): Html => {
  const shown = ciRuns.slice(0, stripLength)
  const longest = Math.max(1, ...shown.map(({ durationMs }) => durationMs))
  const y = scaleLinear([0, longest], [height - 3, 0])
  return html`<div class="strip">
    <ol>
      ${shown.map((ciRun) => {
        const outcome = worstOf(ciRun)
        const text = textOf(ciRun)
        const top = y(ciRun.durationMs)
        const drawn = html`${mark(outcome)}<svg
            class="${outcome}"
            viewBox="0 0 10 ${height}"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <rect x="0.5" y="${top.toFixed(1)}" width="9" height="${(height - top).toFixed(1)}" /></svg
          ><span class="unseen">${text}</span>`
        return html`<li>
          ${ciRun.source === undefined ? html`<span class="bar" title="${text}">${drawn}</span>` : html`<a class="bar" href="${base + paths.source(repository, ciRun.source)}" title="${text}">${drawn}</a>`}
        </li>`
      })}
    </ol>
  </div>`
}
