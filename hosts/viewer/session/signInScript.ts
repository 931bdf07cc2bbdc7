/**
 * Keeps the fragment of the address (`#t=12.4`, a moment) when people sign in, because browsers don't send fragments to
 * the server.
 */
import { part, parts } from "../ui/dom.ts"
import { everyPage } from "../ui/everyPage.ts"

everyPage()

for (const link of parts(document, "main form a.button", HTMLAnchorElement)) {
  const url = new URL(link.href)
  url.searchParams.set("to", `${url.searchParams.get("to") ?? "/"}${location.hash}`)
  link.href = url.href
}

const form = part(document, "main form", HTMLFormElement)
form.addEventListener("submit", () => {
  const action = new URL(form.action)
  action.hash = location.hash
  form.action = action.href
})
