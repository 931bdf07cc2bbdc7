/** A button that copies the link that was just made; without this script it is selected and copied by hand. */
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
