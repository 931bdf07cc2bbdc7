/** The button that copies a new link. Without this script people select and copy the link themselves. */
import { everyPage } from "../ui/everyPage.ts"

everyPage()
const input = document.querySelector<HTMLInputElement>("#link")

if (input !== null && "clipboard" in navigator) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = "Copy"
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(input.value).then(
      () => {
        button.textContent = "Copied"
      },
      () => input.select()
    )
  })
  input.after(button)
}
