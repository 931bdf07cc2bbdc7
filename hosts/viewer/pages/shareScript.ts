/** The button that copies a new link or key. Without this script people select and copy it themselves. */
import { everyPage } from "../ui/everyPage.ts"

everyPage()
const input = document.querySelector<HTMLInputElement>(".copy input")

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
