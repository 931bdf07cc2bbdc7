/** The parts of the pages and forms of an account. */
import { html, type Html } from "../ui/html.ts"

/** Why a form was refused, and what it sent, which the page shows again. */
export interface Refused {
  readonly why: string
  readonly sent: URLSearchParams
}

/** Why a form was refused. */
export const refusedNotice = (refused: Refused | undefined): Html | undefined =>
  refused === undefined ? undefined : html`<p class="notice bad" role="alert">Nothing was changed. ${refused.why}</p>`

/** The choices of a select, by label; the first unless another value is chosen. */
export const options = (choices: Readonly<Record<string, string>>, chosen?: string): Html =>
  html`${Object.entries(choices).map(
    ([label, value]) => html`<option value="${value}" ${value === chosen ? "selected" : ""}>${label}</option>`
  )}`

/** How many entries a list has at least that offers a filter. */
const manyEntries = 20

/** A filter of a long list by a part of its names; `text` is the filter of the page. */
export const nameFilter = (path: string, text: string, entries: number): Html | "" =>
  entries < manyEntries
    ? ""
    : html`<form class="filters" method="get" action="${path}" aria-label="Filters">
        <label>Name <input name="text" value="${text}" maxlength="1024" autocomplete="off" /></label>
        <div class="actions">
          <button>Filter</button>
          ${text === "" ? "" : html`<a href="${path}">Show all</a>`}
        </div>
      </form>`

/** Whether a name contains the text of a filter, in whatever case. */
export const matches = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase())

/** A group of checkboxes of one name. */
export const checks = (
  legend: string,
  name: string,
  boxes: ReadonlyArray<{ readonly value: string; readonly label: Html; readonly isChecked: boolean }>
): Html =>
  html`<fieldset class="checks">
    <legend>${legend}</legend>
    ${boxes.map(
      ({ isChecked, label, value }) =>
        html`<label
          ><input type="checkbox" name="${name}" value="${value}" ${isChecked ? "checked" : ""} />
          <span>${label}</span></label
        >`
    )}
  </fieldset>`

/** A secret that was just created, which is shown only once. */
export const secretCard = (title: string, label: string, text: string, secret: string): Html =>
  html`<section class="card made" aria-labelledby="made">
    <h2 id="made"><bdi>${title}</bdi></h2>
    <p>${text}</p>
    <div class="copy">
      <label for="link">${label}</label>
      <input id="link" readonly value="${secret}" />
    </div>
  </section>`
