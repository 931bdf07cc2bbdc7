import { StyleSheet, Text, View } from "react-native"
import { useTheme } from "../parts/theme.js"

/** A short warning that asks for attention. */
export const Notice = ({ text, testID }) => {
  const { due } = useTheme()
  return (
    <View accessibilityRole="status" testID={testID} style={[styles.notice, { backgroundColor: due.fill }]}>
      <View style={[styles.sign, { backgroundColor: due.ink }]}>
        <Text style={[styles.mark, { color: due.fill }]}>!</Text>
      </View>
      <Text style={[styles.text, { color: due.ink }]}>{text}</Text>
    </View>
  )
}

const styles = StyleSheet.create({
  notice: { flexDirection: "row", alignItems: "center", gap: 12, borderRadius: 16, padding: 14 },
  sign: { width: 22, height: 22, borderRadius: 11, alignItems: "center", justifyContent: "center" },
  mark: { fontSize: 14, fontWeight: "800" },
  text: { flex: 1, fontSize: 14, fontWeight: "600", lineHeight: 19 }
})
