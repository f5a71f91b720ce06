{{- define "toolshape.name" -}}
{{- printf "%s" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "toolshape.selector" -}}
app.kubernetes.io/name: toolshape
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "toolshape.labels" -}}
{{ include "toolshape.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
