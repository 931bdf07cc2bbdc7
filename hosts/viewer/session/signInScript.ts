/** The form to sign in: the moment that an address names (`#t=12.4`) is told to no server, so it is carried along here. */
import { part } from "../ui/dom.ts"

const form = part(document, "main form", HTMLFormElement)
form.addEventListener("submit", () => {
  const action = new URL(form.action)
  action.hash = location.hash
  form.action = action.href
})
