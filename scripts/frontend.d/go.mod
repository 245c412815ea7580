module frontend

go 1.26.0
